package mmerr

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorCarriesItsKind(t *testing.T) {
	err := fmt.Errorf("method: %w", NoSuchCoin.From(io.EOF, Coin{"IRIS"}, "No such coin IRIS"))
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "NoSuchCoin", e.Type())
	require.Equal(t, 404, e.Status())
	require.EqualError(t, e, "No such coin IRIS")
	data, present := e.Data()
	require.True(t, present)
	text, failed := json.Marshal(data)
	require.NoError(t, failed)
	require.JSONEq(t, `{"coin":"IRIS"}`, string(text))
	require.ErrorIs(t, err, io.EOF)
	require.True(t, NoSuchCoin.Is(err))
	require.False(t, Transport.Is(err))
	require.Equal(t, "error_test", Path(Places(err)))
	require.Len(t, Places(err), 1)
}

func TestNoneIsAbsent(t *testing.T) {
	var e *Error
	require.True(t, errors.As(NotRunning.New(None{}, "x"), &e))
	_, present := e.Data()
	require.False(t, present)
	require.True(t, errors.As(EnableError.New("", "x"), &e))
	_, present = e.Data()
	require.True(t, present, "an empty text is data")
}

// TestRowsAreComplete checks that Rows contains every declared kind.
func TestRowsAreComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, 0)
	require.NoError(t, err)
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if index, ok := n.(*ast.IndexExpr); ok {
			if name, ok := index.X.(*ast.Ident); ok && name.Name == "kind" {
				declared++
			}
		}
		return true
	})
	names := map[string]bool{}
	for _, row := range Rows() {
		names[row.Name] = true
		require.NotEmpty(t, row.Doc, row.Name)
		require.True(t, row.Status >= 400 && row.Status < 600, row.Name)
	}
	require.Len(t, Rows(), declared)
	for _, name := range strings.Fields(`InvalidRequest ConnectionError NoSuchCoin NotSufficientBalance Transport DatabaseError
		PeerIdParseError NotRunning GetNftInfoError EnableError PlatformCoinIsNotActivated TokenIsAlreadyActivated TokenConfigIsNotFound
		PlatformConfigIsNotFound PlatformIsAlreadyActivated CoinProtocolParseError TokenProtocolParseError UnexpectedTokenProtocol
		UnexpectedPlatformProtocol UnexpectedDerivationMethod PrivKeyNotAllowed PlatformCoinCreationError InternalError`) {
		require.True(t, names[name], "the spec's %s is missing", name)
	}
}

// TestAbove checks that an error created on behalf of a caller has the place of the caller.
func TestAbove(t *testing.T) {
	refuse := func() error { return NotRunning.Above(1, io.EOF, None{}, "x") }
	first := refuse()
	second := refuse()
	a, b := Places(first), Places(second)
	require.Equal(t, a[0].Line+1, b[0].Line, "where refuse was called")
}
