package noise

// Initiator is the side that connects. Its methods must be called once each, in their order,
// and not after an error.
type Initiator struct {
	symmetric
	static, ephemeral Key
	remote            [33]byte // static key of the peer
	theirs            [33]byte // ephemeral key of the peer
}

// NewInitiator returns the initiator of a handshake with the owner of the key remote. The
// ephemeral key must be used only for this handshake.
func NewInitiator(static, ephemeral Key, remote [33]byte) *Initiator {
	return &Initiator{symmetric: begin(remote), static: static, ephemeral: ephemeral, remote: remote}
}

// Act1 returns the first message. It fails if remote is not a point of the curve.
func (i *Initiator) Act1() ([Act1Size]byte, error) {
	return i.write(1, i.ephemeral, i.remote)
}

// Act2 reads the answer. It proves that the peer has the key remote. The peer does not know yet
// who connects. The error is an *ActError.
func (i *Initiator) Act2(act []byte) (err error) {
	i.theirs, err = i.read(2, i.ephemeral, act)
	return err
}

// Act3 returns the last message, which identifies this node to the peer.
func (i *Initiator) Act3() (act [Act3Size]byte, s *Session, err error) {
	public := i.static.PublicKey()
	act[0] = version
	copy(act[1:], i.seal(1, public[:]))
	if err := i.agree(3, i.static, i.theirs); err != nil {
		return act, nil, err
	}
	copy(act[1+pointSize+tagSize:], i.seal(0, nil))
	send, receive := expand(i.chain, nil)
	return act, newSession(i.chain, send, receive), nil
}

// Responder is the side that accepts a connection. Its methods must be called once each, in
// their order, and not after an error.
type Responder struct {
	symmetric
	static, ephemeral Key
	theirs            [33]byte // ephemeral key of the peer
}

// NewResponder returns the responder of a handshake. The ephemeral key must be used only for
// this handshake.
func NewResponder(static, ephemeral Key) *Responder {
	return &Responder{symmetric: begin(static.PublicKey()), static: static, ephemeral: ephemeral}
}

// Act1 reads the first message. It only proves that the peer knows this node's public key. The
// error is an *ActError.
func (r *Responder) Act1(act []byte) (err error) {
	r.theirs, err = r.read(1, r.static, act)
	return err
}

// Act2 returns the reply to act 1.
func (r *Responder) Act2() ([Act2Size]byte, error) {
	return r.write(2, r.ephemeral, r.theirs)
}

// Act3 reads the last message and returns the peer's key. The error is an *ActError.
func (r *Responder) Act3(act []byte) (remote [33]byte, s *Session, err error) {
	if len(act) != Act3Size {
		return remote, nil, &ActError{3, ErrShort}
	}
	if act[0] != version {
		return remote, nil, &ActError{3, VersionError(act[0])}
	}
	sealed, tag := act[1:1+pointSize+tagSize], act[1+pointSize+tagSize:]
	public, ok := r.open(1, sealed)
	if !ok {
		return remote, nil, &ActError{3, ErrCiphertext}
	}
	remote = [33]byte(public)
	if err := r.agree(3, r.ephemeral, remote); err != nil {
		return remote, nil, err
	}
	if _, ok := r.open(0, tag); !ok {
		return remote, nil, &ActError{3, ErrTag}
	}
	receive, send := expand(r.chain, nil)
	return remote, newSession(r.chain, send, receive), nil
}
