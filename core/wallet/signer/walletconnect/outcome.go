package walletconnect

// maxOutcomes limits how many outcomes of proposals are remembered.
const maxOutcomes = 64

// outcome is the result of a proposal. It is set once done is closed.
type outcome struct {
	done    chan struct{}
	session string // topic
	err     error
}

// outcomes holds the latest outcomes by pairing topic. The Manager's lock must be held.
type outcomes struct {
	of    map[string]*outcome
	order []string
}

// wait returns the outcome of a proposal, which may be pending. It reports false if the
// proposal is neither remembered nor open.
func (o *outcomes) wait(topic string, open bool) (*outcome, bool) {
	if found := o.of[topic]; found != nil || !open {
		return found, found != nil
	}
	return o.add(topic), true
}

func (o *outcomes) add(topic string) *outcome {
	if o.of == nil {
		o.of = map[string]*outcome{}
	}
	if len(o.order) >= maxOutcomes {
		o.forget()
	}
	found := &outcome{done: make(chan struct{})}
	o.of[topic], o.order = found, append(o.order, topic)
	return found
}

// forget removes the oldest outcome without waiters. One exists, since maxOutcomes is greater
// than the limit of open proposals.
func (o *outcomes) forget() {
	for n, topic := range o.order {
		select {
		case <-o.of[topic].done:
			delete(o.of, topic)
			o.order = append(o.order[:n], o.order[n+1:]...)
			return
		default:
		}
	}
}

// set sets the outcome of a proposal. Later calls have no effect.
func (o *outcomes) set(topic string, came outcome) {
	found := o.of[topic]
	if found == nil {
		found = o.add(topic)
	}
	select {
	case <-found.done:
	default:
		found.session, found.err = came.session, came.err
		close(found.done)
	}
}
