package rpc

// Info names the service that a document describes.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

// Document is an OpenRPC 1.3.2 document.
type Document struct {
	OpenRPC string      `json:"openrpc"`
	Info    Info        `json:"info"`
	Methods []Operation `json:"methods"`
}

// Operation is OpenRPC's method object.
type Operation struct {
	Name           string       `json:"name"`
	Summary        string       `json:"summary,omitempty"`
	Description    string       `json:"description,omitempty"`
	Tags           []Tag        `json:"tags,omitempty"`
	ParamStructure string       `json:"paramStructure"`
	Params         []Descriptor `json:"params"`
	Result         Descriptor   `json:"result"`
}

// Tag is OpenRPC's tag object: here the category.
type Tag struct {
	Name string `json:"name"`
}

// Descriptor is OpenRPC's content descriptor: a parameter or the result.
type Descriptor struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema"`
}

// Values of OpenRPC's paramStructure.
const (
	ByPosition = "by-position"
	ByName     = "by-name"
)

// OpenRPC describes every method of the table; structure is ByPosition or ByName.
func (t *Table) OpenRPC(info Info, structure string) Document {
	doc := Document{OpenRPC: "1.3.2", Info: info, Methods: make([]Operation, 0, len(t.rows))}
	for _, m := range t.rows {
		doc.Methods = append(doc.Methods, m.operation(structure))
	}
	return doc
}

func (m Method) operation(structure string) Operation {
	op := Operation{
		Name: m.Name, Summary: m.Doc.Summary, Description: m.Doc.Detail,
		ParamStructure: structure, Params: m.Params(),
		Result: Descriptor{Name: "result", Schema: m.result},
	}
	if m.Doc.Category != "" {
		op.Tags = []Tag{{Name: m.Doc.Category}}
	}
	return op
}

// Params describes the parameters in order.
func (m Method) Params() []Descriptor {
	params := make([]Descriptor, 0, len(m.plan.fields))
	for _, f := range m.plan.fields {
		params = append(params, Descriptor{
			Name: f.name, Description: f.doc, Required: !f.optional,
			Schema: fieldSchema(f, input, nil),
		})
	}
	return params
}
