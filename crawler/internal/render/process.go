package render

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// process is a running browser.
type process struct {
	*conn
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	product string        // such as "HeadlessChrome/156.0.8078.108"
	stderr  *tail

	mu       sync.Mutex
	contexts map[cdp.BrowserContextID]*tab
}

// switches are the command line of the browser. No request of it reaches the network: those
// of pages are answered by the caller, and everything else finds no host.
var switches = []string{
	"--remote-debugging-pipe", "--headless",
	"--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server", "--disable-quic", "--dns-prefetch-disable", "--no-pings",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", "--disable-sync",
	"--disable-breakpad", "--disable-crash-reporter", "--disable-client-side-phishing-detection", "--safebrowsing-disable-auto-update",
	"--disable-default-apps", "--disable-extensions", "--disable-component-extensions-with-background-pages",
	"--no-first-run", "--no-default-browser-check", "--no-service-autorun", "--password-store=basic", "--use-mock-keychain",
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
	"--disable-hang-monitor", "--disable-ipc-flooding-protection", "--disable-popup-blocking", "--disable-prompt-on-repost",
	"--metrics-recording-only", "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
	"--disable-site-isolation-trials",
	"--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,InterestFeedContentSuggestions,PaintHolding",
	"--js-flags=--max-old-space-size=1024",
}

// start starts a browser whose files are in dir.
func start(ctx context.Context, o *Options, dir string) (*process, error) {
	args := append([]string{"--user-data-dir=" + filepath.Join(dir, "profile"), "--user-agent=" + o.UserAgent}, switches...)
	if !o.Sandbox {
		args = append(args, "--no-sandbox")
	}
	p := &process{cmd: exec.Command(o.Path, args...), ended: make(chan struct{}), stderr: &tail{}, contexts: map[cdp.BrowserContextID]*tab{}}
	p.cmd.Env = environment(dir)
	p.cmd.Dir = dir
	p.cmd.WaitDelay = time.Second
	p.cmd.Stderr = p.stderr
	pipe, begin, err := connect(p.cmd)
	if err != nil {
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	err = p.cmd.Start()
	begin()
	if err != nil {
		pipe.Close()
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	p.conn = newConn(pipe)
	go func() {
		_ = p.cmd.Wait()
		endGroup(p.cmd)
		close(p.ended)
	}()
	p.root().listen(p)
	go p.guardMemory()
	started, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	version, err := call(started, p.root(), browser.GetVersion, cdp.Empty{})
	p.product = version.Product
	if err == nil {
		flat := true
		_, err = call(started, p.root(), target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat})
	}
	if err != nil {
		p.stop()
		if why := p.stderr.last(); why != "" {
			return nil, fmt.Errorf("start the browser %s: %w (%s)", o.Path, err, why)
		}
		return nil, fmt.Errorf("start the browser %s: %w", o.Path, err)
	}
	return p, nil
}

// root returns the session of the browser itself.
func (p *process) root() session { return session{conn: p.conn} }

// stop ends the browser and waits until it has ended, by force if it does not end soon.
func (p *process) stop() {
	const patience = 3 * time.Second
	select {
	case <-p.ended:
	default:
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, _ = call(ctx, p.root(), browser.Close, cdp.Empty{})
		select {
		case <-p.ended:
		case <-ctx.Done():
		}
		cancel()
	}
	p.pipe.Close()
	endGroup(p.cmd)
	<-p.ended
	<-p.lost
}

// environment returns the environment of the browser: where to find programs and
// libraries, and directories of its own for all that it writes. No secret is in it. The
// directory for temporary files is relative to the one that the browser runs in, as the
// browser makes a socket there, whose path must be short.
func environment(dir string) []string {
	env := []string{"HOME=" + dir, "TMPDIR=.", "TMP=" + dir, "TEMP=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_RUNTIME_DIR=" + dir,
		"USERPROFILE=" + dir, "APPDATA=" + dir, "LOCALAPPDATA=" + dir, "LANG=C.UTF-8", "TZ=UTC", "DBUS_SESSION_BUS_ADDRESS=disabled:", "DBUS_SYSTEM_BUS_ADDRESS=disabled:"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "SystemRoot", "SystemDrive", "windir", "ProgramFiles", "ProgramData"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// tail keeps the end of what the browser writes to standard error, for messages.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if n := len(t.text) - tailSize; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(b), nil
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// newPipe returns a connection over two pipes, from the browser and to it.
func newPipe(from io.ReadCloser, to io.WriteCloser) *chromedp.PipeConn {
	return chromedp.NewPipeConn(from, to)
}
