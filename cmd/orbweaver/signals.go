package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endingSignals are the signals that end a run early, with a partial report. Under nohup a
// hangup is ignored, as it was when the process was started.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// interrupts handles signals: the first interrupt closes the channel stop, after which
// requests in flight are finished; the second one cancels the context. A third one kills
// the process, because signals are no longer handled.
func interrupts(parent context.Context, note func(string, ...any)) (stop <-chan struct{}, ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(parent)
	soft := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endingSignals()...)
	ended := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for count := 1; ; count++ {
			select {
			case <-ended:
				return
			case <-signals:
			}
			if count == 1 {
				note("interrupted: finishing the requests in flight; interrupt again to stop at once")
				close(soft)
				continue
			}
			signal.Stop(signals)
			cancel()
			return
		}
	}()
	return soft, ctx, func() {
		signal.Stop(signals)
		close(ended)
		<-finished
		cancel()
	}
}
