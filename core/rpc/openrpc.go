package rpc

// Info describes the service of a document.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

// Document is an OpenRPC 1.3.2 document.
type Document struct {
	OpenRPC    string      `json:"openrpc"`
	Info       Info        `json:"info"`
	Methods    []Operation `json:"methods"`
	Components *Components `json:"components,omitempty"`
}

// JSONSchema implements Described. The schema does not repeat the definitions of OpenRPC.
func (Document) JSONSchema() *Schema {
	return &Schema{Type: "object", Description: "an OpenRPC 1.3.2 document"}
}

// Printed is a result that is already encoded as compact JSON.
type Printed []byte

// MarshalJSON implements json.Marshaler.
func (p Printed) MarshalJSON() ([]byte, error) { return p, nil }

// Components is OpenRPC's components object.
type Components struct {
	Errors map[string]ErrorObject `json:"errors"`
}

// ErrorObject is OpenRPC's error object. It contains the HTTP status, the name of the kind and,
// in Data, further information.
type ErrorObject struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    ErrorDetail `json:"data"`
}

// ErrorDetail describes when an error is returned, and its data.
type ErrorDetail struct {
	Description string  `json:"description"`
	Schema      *Schema `json:"error_data,omitempty"`
}

// Reference is a JSON reference to one of the components.
type Reference struct {
	Ref string `json:"$ref"`
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
	Errors         []Reference  `json:"errors,omitempty"`
}

// Tag is OpenRPC's tag object, which represents a category here.
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

// OpenRPC returns a document that describes every method of the table. The structure is
// ByPosition or ByName. The kinds are all kinds of errors of the interface, if any.
func (t *Table) OpenRPC(info Info, structure string, kinds ...ErrorKind) Document {
	doc := Document{OpenRPC: "1.3.2", Info: info, Methods: make([]Operation, 0, len(t.rows))}
	names := kindNames(kinds)
	for _, m := range t.rows {
		doc.Methods = append(doc.Methods, m.operation(structure, names))
	}
	if len(kinds) > 0 {
		doc.Components = &Components{Errors: make(map[string]ErrorObject, len(kinds))}
	}
	for _, k := range kinds {
		doc.Components.Errors[names[k.id()]] = ErrorObject{k.Status, k.Name, ErrorDetail{k.Doc, k.Schema()}}
	}
	return doc
}

func (m Method) operation(structure string, names map[kindID]string) Operation {
	op := Operation{
		Name: m.Name, Summary: m.Doc.Summary, Description: m.Doc.Detail,
		ParamStructure: structure, Params: m.Params(),
		Result: Descriptor{Name: "result", Schema: m.result()},
	}
	if m.Doc.Category != "" {
		op.Tags = []Tag{{Name: m.Doc.Category}}
	}
	for _, k := range m.raises {
		if name, ok := names[k.id()]; ok {
			op.Errors = append(op.Errors, Reference{"#/components/errors/" + name})
		}
	}
	return op
}

// Params returns descriptions of the parameters in order.
func (m Method) Params() []Descriptor {
	params := make([]Descriptor, 0, len(m.plan().fields))
	for _, f := range m.plan().fields {
		params = append(params, Descriptor{
			Name: f.name, Description: f.doc, Required: f.required(),
			Schema: fieldSchema(f, input, nil),
		})
	}
	return params
}
