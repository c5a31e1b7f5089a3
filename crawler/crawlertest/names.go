package crawlertest

import (
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// ServeNames is a name server until the test ends, and returns its address. The zone answers
// for a name in lower case without its final dot: an IPv4 address, or a response code.
func ServeNames(t testing.TB, zone func(name string) (addr [4]byte, code dnsmessage.RCode)) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		packet := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			reply := answerQuestion(m.ID, m.Questions[0], zone)
			if packed, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from) // the client asks again
			}
		}
	})
	t.Cleanup(func() { conn.Close(); wg.Wait() })
	return conn.LocalAddr().String()
}

// answerQuestion answers with the address if the question asks for one.
func answerQuestion(id uint16, q dnsmessage.Question, zone func(string) ([4]byte, dnsmessage.RCode)) dnsmessage.Message {
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: id, Response: true, RecursionAvailable: true}, Questions: []dnsmessage.Question{q}}
	var addr [4]byte
	if addr, reply.RCode = zone(strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))); addr != [4]byte{} && q.Type == dnsmessage.TypeA {
		reply.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
			Body: &dnsmessage.AResource{A: addr}}}
	}
	return reply
}
