package device

import "context"

// Port connects to devices. A Link is a connection in the vendor's protocol.
type Port[Link any] interface {
	// List lists the devices that are connected.
	List(ctx context.Context) ([]Info, error)
	// Open connects to a device by its ID. A device that is gone is NotFound.
	Open(ctx context.Context, id string) (Link, error)
}

// Open connects to the device of an ID, or to the only one where id is empty, when its turn
// in the queue comes. The caller calls done once, after the link is closed.
func Open[Link any](ctx context.Context, q *Queue, p Port[Link], id string) (link Link, chosen string, done func(), err error) {
	all, err := p.List(ctx)
	if err != nil {
		return link, "", nil, err
	}
	d, err := Choose(all, id)
	if err != nil {
		return link, "", nil, err
	}
	done, err = q.Turn(ctx, d.ID)
	if err != nil {
		return link, "", nil, err
	}
	link, err = p.Open(ctx, d.ID)
	if err != nil {
		done()
		return link, "", nil, err
	}
	return link, d.ID, done, nil
}
