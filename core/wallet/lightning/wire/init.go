package wire

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// Types of the records of an init.
const (
	recordNetworks = 1
	recordRemote   = 3
)

// Init is the first message of each side.
type Init struct {
	Features Features
	// Networks holds the chains of the node, as hashes of their first blocks; nil if the node
	// does not report them.
	Networks [][32]byte
	// Remote is the address of this node that the peer reports. It is the zero value if it is
	// missing or not an IP address.
	Remote netip.AddrPort
}

// Encode encodes the message. All features are in the field that BOLT 1 now uses.
func (m Init) Encode() []byte {
	b := begin(TypeInit, 64+len(m.Features)+32*len(m.Networks))
	b = append(b, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.Features)))
	b = append(b, m.Features...)
	if m.Networks != nil {
		b = AppendRecord(b, Record{recordNetworks, slices.Concat(bytesOf(m.Networks)...)})
	}
	if m.Remote.IsValid() {
		b = AppendRecord(b, Record{recordRemote, encodeRemote(m.Remote)})
	}
	return b
}

func bytesOf(hashes [][32]byte) [][]byte {
	all := make([][]byte, len(hashes))
	for n := range hashes {
		all[n] = hashes[n][:]
	}
	return all
}

// DecodeInit decodes the message after its type.
func DecodeInit(payload []byte) (m Init, err error) {
	var both [2]Features // the first one is used by older nodes
	for n := range both {
		if len(payload) < 2 {
			return m, broken("init", ErrShort)
		}
		length := int(binary.BigEndian.Uint16(payload))
		if payload = payload[2:]; len(payload) < length {
			return m, broken("init", ErrShort)
		}
		both[n], payload = payload[:length], payload[length:]
	}
	m.Features = both[0].or(both[1])
	records, err := DecodeRecords(payload, recordNetworks, recordRemote)
	if err != nil {
		return m, broken("init", err)
	}
	for _, r := range records {
		switch r.Type {
		case recordNetworks:
			if len(r.Value)%32 != 0 {
				return m, broken("init, networks", ErrLength)
			}
			m.Networks = [][32]byte{}
			for hash := range slices.Chunk(r.Value, 32) {
				m.Networks = append(m.Networks, [32]byte(hash))
			}
		case recordRemote:
			m.Remote = decodeRemote(r.Value)
		}
	}
	return m, nil
}

// Shares reports whether two nodes have a chain in common, or one does not report its chains.
func (m Init) Shares(networks [][32]byte) bool {
	if m.Networks == nil || networks == nil {
		return true
	}
	return slices.ContainsFunc(m.Networks, func(n [32]byte) bool { return slices.Contains(networks, n) })
}

// Address descriptors of BOLT 7.
const (
	descriptorIPv4 = 1
	descriptorIPv6 = 2
)

func encodeRemote(a netip.AddrPort) []byte {
	ip := a.Addr().Unmap()
	kind := byte(descriptorIPv6)
	if ip.Is4() {
		kind = descriptorIPv4
	}
	return binary.BigEndian.AppendUint16(append([]byte{kind}, ip.AsSlice()...), a.Port())
}

// decodeRemote decodes an IP address. For any other kind of address it returns the zero value.
func decodeRemote(b []byte) netip.AddrPort {
	size := 0
	switch {
	case len(b) > 0 && b[0] == descriptorIPv4:
		size = 4
	case len(b) > 0 && b[0] == descriptorIPv6:
		size = 16
	}
	if size == 0 || len(b) != 1+size+2 {
		return netip.AddrPort{}
	}
	ip, _ := netip.AddrFromSlice(b[1 : 1+size]) // cannot fail, since the size is valid
	return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(b[1+size:]))
}
