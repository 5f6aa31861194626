package event

import (
	"container/heap"
	"time"
)

// task is something to do at a time, once or again and again.
type task struct {
	due   time.Time
	every time.Duration // 0: once
	do    func()
	place int // in the heap; -1: in none
}

// schedule is a heap of tasks, the earliest first.
type schedule struct{ tasks taskHeap }

func (s *schedule) add(t *task) { heap.Push(&s.tasks, t) }

// remove takes a task out; nil and tasks that are done are no matter.
func (s *schedule) remove(t *task) {
	if t != nil && t.place >= 0 {
		heap.Remove(&s.tasks, t.place)
	}
}

// run does what is due. A task that comes again keeps its rhythm; times that were
// slept through are left out and not made up for.
func (s *schedule) run(now time.Time) {
	for len(s.tasks) > 0 && !s.tasks[0].due.After(now) {
		t := s.tasks[0]
		if t.every == 0 {
			heap.Pop(&s.tasks)
		} else {
			if t.due = t.due.Add(t.every); !t.due.After(now) {
				t.due = now.Add(t.every)
			}
			heap.Fix(&s.tasks, 0)
		}
		t.do()
	}
}

// wait is how long nothing is due.
func (s *schedule) wait(now time.Time) time.Duration {
	if len(s.tasks) == 0 {
		return idle
	}
	return s.tasks[0].due.Sub(now)
}

// taskHeap implements heap.Interface; tasks know their places.
type taskHeap []*task

func (h taskHeap) Len() int           { return len(h) }
func (h taskHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

func (h taskHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push implements heap.Interface.
func (h *taskHeap) Push(x any) {
	t := x.(*task)
	t.place = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *taskHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.place = -1
	return t
}
