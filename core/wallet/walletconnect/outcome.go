package walletconnect

// maxOutcomes is how many outcomes of proposals are remembered.
const maxOutcomes = 64

// outcome is what came of a proposal. It is set when done is closed.
type outcome struct {
	done    chan struct{}
	session string // topic
	err     error
}

// outcomes are the last ones, by the topic of the pairing. The Manager's lock is held
// around its methods.
type outcomes struct {
	of    map[string]*outcome
	order []string
}

// wait returns the outcome of a proposal, which may be still to come. It reports false for
// one that is neither remembered nor open.
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

// forget drops the oldest that is not waited for any more. There is one, since fewer
// proposals are open than are remembered.
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

// set says what came of a proposal. Only the first counts.
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
