package noise

// Initiator is the side that connects. Its methods are called once each, in their
// order, and not after an error.
type Initiator struct {
	symmetric
	static, ephemeral Key
	remote            [33]byte // the peer's static key
	theirs            [33]byte // its ephemeral one
}

// NewInitiator begins a handshake with the owner of the key remote. The ephemeral key
// is used for this handshake alone.
func NewInitiator(static, ephemeral Key, remote [33]byte) *Initiator {
	return &Initiator{symmetric: begin(remote), static: static, ephemeral: ephemeral, remote: remote}
}

// Act1 returns the first message. It fails if remote is not a point of the curve.
func (i *Initiator) Act1() ([Act1Size]byte, error) {
	return i.write(1, i.ephemeral, i.remote)
}

// Act2 reads the answer. After it the peer has proved that it has the key remote, and
// does not know yet who asks. The error is an *ActError.
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

// Responder is the side that is connected to. Its methods are called once each, in
// their order, and not after an error.
type Responder struct {
	symmetric
	static, ephemeral Key
	theirs            [33]byte // the peer's ephemeral key
}

// NewResponder waits for a handshake. The ephemeral key is used for this one alone.
func NewResponder(static, ephemeral Key) *Responder {
	return &Responder{symmetric: begin(static.PublicKey()), static: static, ephemeral: ephemeral}
}

// Act1 reads what comes first. After it the peer has shown that it knows our public
// key, and no more. The error is an *ActError.
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
