package clamd

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// DefaultAddress is the socket of Debian's package clamav-daemon.
const DefaultAddress = "unix:/run/clamav/clamd.ctl"

// Address is where clamd listens. The zero value is not an address.
type Address struct {
	network string // "unix" or "tcp", as for [net.Dial]
	address string
}

// ParseAddress parses unix:PATH or tcp:HOST:PORT. An IPv6 address is in brackets, and a port
// is a number.
func ParseAddress(s string) (Address, error) {
	network, address, _ := strings.Cut(s, ":")
	switch network {
	case "unix":
		if address != "" && !strings.ContainsRune(address, 0) {
			return Address{network, address}, nil
		}
	case "tcp":
		host, port, err := net.SplitHostPort(address)
		n, portErr := strconv.ParseUint(port, 10, 16)
		if err == nil && portErr == nil && host != "" && n != 0 {
			return Address{network, address}, nil
		}
	}
	return Address{}, fmt.Errorf("use unix:PATH or tcp:HOST:PORT, such as %s or tcp:127.0.0.1:3310", DefaultAddress)
}

// String returns the address as [ParseAddress] accepts it.
func (a Address) String() string { return a.network + ":" + a.address }
