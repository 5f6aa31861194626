package webpage

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"
)

//go:embed all:dist
var dist embed.FS

// ErrFiles reports a folder that is no page as web/pack.js leaves it.
var ErrFiles = errors.New("the files of the wallet page are incomplete")

// The two forms in which a file is kept; no third one is.
const (
	gzipSuffix   = ".gz"
	brotliSuffix = ".br"
)

// index is the file of the path /; assets are the files whose names have a hash of the content.
const (
	index  = "index.html"
	assets = "assets/"
)

// Page is a wallet page, or the lack of one. It is safe for concurrent use.
type Page struct {
	files map[string]*file // by URL path
}

// file is one file of the page in both forms.
type file struct {
	from      fs.FS
	name      string // in from, without the suffix of a form
	mediaType string
	keep      string // Cache-Control
	gzip      form
	brotli    form
}

// form is one form of a file.
type form struct {
	size int64
	tag  func() (string, error) // ETag, found out when it is needed first
}

// Built returns the page that this program was built with, which may be none.
func Built() (*Page, error) {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	return New(sub)
}

// New makes a page of a folder that has each file twice, with .gz and with .br at the
// end of its name; other files are no part of it. A folder without any is a page that
// was not built. An error is ErrFiles.
func New(from fs.FS) (*Page, error) {
	p := &Page{files: map[string]*file{}}
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		plain, compressed := strings.CutSuffix(name, gzipSuffix)
		if err != nil || entry.IsDir() || !compressed {
			return err
		}
		f, err := newFile(from, plain)
		if err == nil {
			p.files[urlPath(plain)] = f
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFiles, err)
	}
	if len(p.files) > 0 && !p.IsBuilt() {
		return nil, fmt.Errorf("%w: there is no %s", ErrFiles, index)
	}
	return p, nil
}

func urlPath(name string) string {
	if name == index {
		return "/"
	}
	return "/" + name
}

func newFile(from fs.FS, name string) (*file, error) {
	f := &file{from: from, name: name, mediaType: mediaType(name), keep: "no-cache"}
	if strings.HasPrefix(name, assets) {
		f.keep = "public, max-age=31536000, immutable"
	}
	var err error
	if f.gzip, err = examine(from, name+gzipSuffix); err != nil {
		return nil, err
	}
	f.brotli, err = examine(from, name+brotliSuffix)
	return f, err
}

func examine(from fs.FS, name string) (form, error) {
	info, err := fs.Stat(from, name)
	if err != nil {
		return form{}, err
	}
	return form{size: info.Size(), tag: sync.OnceValues(func() (string, error) { return tagOf(from, name) })}, nil
}

func tagOf(from fs.FS, name string) (string, error) {
	in, err := from.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	return `"` + hex.EncodeToString(hash.Sum(nil)[:16]) + `"`, err
}

// mediaType does not ask the machine's tables, which differ.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".wasm":
		return "application/wasm"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// IsBuilt reports whether the program contains a page.
func (p *Page) IsBuilt() bool { return p.files["/"] != nil }

// Mount adds the paths of the page, for GET and HEAD. A page that was not built has
// the path / all the same, which says so.
func (p *Page) Mount(router *httprouter.Router) {
	for at, f := range p.files {
		router.Handler(http.MethodGet, at, f)
		router.Handler(http.MethodHead, at, f)
	}
	if !p.IsBuilt() {
		router.HandlerFunc(http.MethodGet, "/", notBuilt)
		router.HandlerFunc(http.MethodHead, "/", notBuilt)
	}
}
