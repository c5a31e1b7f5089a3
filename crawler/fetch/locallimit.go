package fetch

import (
	"errors"
	"strings"
	"syscall"
)

// localLimits are errors that this machine causes. They say nothing about the target;
// the request is retried when resources are available again.
var localLimits = []struct {
	errno syscall.Errno
	text  string
}{
	{syscall.EMFILE, "this process has too many open files"},
	{syscall.ENFILE, "this machine has too many open files"},
	{syscall.EADDRNOTAVAIL, "no free local port or address"},
	{syscall.EADDRINUSE, "no free local port"},
	{syscall.ENOBUFS, "no buffer space for another connection"},
	{syscall.ENOMEM, "out of memory"},
	{syscall.EAGAIN, "no resources for another connection"},
	{syscall.ENETDOWN, "the network is down"},
	{syscall.ENETUNREACH, "this machine has no route to the network"},
	{syscall.EACCES, "this machine does not allow the connection"},
	{syscall.EPERM, "this machine does not allow the connection"},
}

// FileLimit returns a readable cause if the machine ran out of a resource while it
// opened or read a file, and nil for other errors.
func FileLimit(err error) error {
	switch limitErrno(err) {
	case 0, syscall.EACCES, syscall.EPERM:
		return nil // for a file, these errors concern the file
	}
	return localLimit(err)
}

// limitErrno returns the error number if it is in localLimits, or 0.
func limitErrno(err error) syscall.Errno {
	var errno syscall.Errno
	if err == nil {
		return 0
	}
	if !errors.As(err, &errno) {
		// The resolver reports a failed socket only as text.
		text := err.Error()
		for _, limit := range localLimits[:2] {
			if strings.Contains(text, limit.errno.Error()) {
				return limit.errno
			}
		}
		return 0
	}
	for _, limit := range localLimits {
		if HasErrno(errno, limit.errno) {
			return limit.errno
		}
	}
	return 0
}

// localLimit returns a readable cause for an error in localLimits.
func localLimit(err error) error {
	errno := limitErrno(err)
	for _, limit := range localLimits {
		if errno == limit.errno {
			return &cause{limit.text, err}
		}
	}
	return err
}

// winsock maps error numbers to those of Windows sockets. Package syscall defines both
// on Windows but does not treat them as equal.
var winsock = map[syscall.Errno]syscall.Errno{
	syscall.EACCES:        10013,
	syscall.EMFILE:        10024,
	syscall.EADDRINUSE:    10048,
	syscall.EADDRNOTAVAIL: 10049,
	syscall.ENETDOWN:      10050,
	syscall.ENETUNREACH:   10051,
	syscall.ECONNABORTED:  10053,
	syscall.ECONNRESET:    10054,
	syscall.ENOBUFS:       10055,
	syscall.ETIMEDOUT:     10060,
	syscall.ECONNREFUSED:  10061,
	syscall.EHOSTUNREACH:  10065,
}

// HasErrno reports whether an error is the operating system error with a number, or
// with the Windows socket number for the same error.
func HasErrno(err error, number syscall.Errno) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == number || errno != 0 && errno == winsock[number])
}

// cause is an error with a clearer message than the original, which errors.Is and
// errors.As still find.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.err }
