package forms

import (
	"context"
	"io"
	"strconv"
)

// jsonlFile writes an object a line. It is exact: values, their order and their repeats are those that were accepted.
type jsonlFile struct {
	export *Export
	out    io.Writer
	line   []byte
}

func beginJSONL(e *Export, w io.Writer) (exportWriter, error) {
	return &jsonlFile{export: e, out: w}, nil
}

func (f *jsonlFile) add(_ context.Context, s *Submission) error {
	line := f.line[:0]
	line = append(line, '{')
	line = appendMember(line, "id", PublicID(s.ID))
	line = appendMember(line, "endpoint_id", s.EndpointID)
	line = appendMember(line, "received_at", f.export.time(s.ReceivedAt))
	line = appendMember(line, "status", string(s.Status))
	line = strconv.AppendInt(append(line, `"schema_version":`...), int64(s.Rules.Schema), 10)
	line = strconv.AppendInt(append(line, `,"replay_count":`...), int64(s.ReplayCount), 10)
	line = strconv.AppendBool(append(line, `,"starred":`...), s.Starred)
	line = append(line, `,"tags":[`...)

	for i, tag := range s.Tags {
		line = appendQuoted(appendComma(line, i), tag)
	}

	line = append(line, "],"...)

	for _, wish := range []struct{ name, text string }{
		{"reply_to", s.ReplyTo}, {"subject", s.Subject}, {"language", s.Language},
	} {
		if wish.text != "" {
			line = appendMember(line, wish.name, wish.text)
		}
	}

	line = append(line, `"fields":[`...)
	for i, field := range s.Fields {
		line = appendMember(append(appendComma(line, i), '{'), "name", field.Name)
		line = append(line, `"value":`...)
		line = field.Value.AppendJSON(line)
		line = append(line, '}')
	}

	line = append(line, "]}\n"...)
	f.line = line
	_, err := f.out.Write(f.line)

	return err
}

// appendMember appends one with text, and the comma after it.
func appendMember(line []byte, name, text string) []byte {
	line = append(appendQuoted(line, name), ':')

	return append(appendQuoted(line, text), ',')
}

func appendComma(line []byte, at int) []byte {
	if at == 0 {
		return line
	}

	return append(line, ',')
}

func (*jsonlFile) end() error { return nil }

func (*jsonlFile) discard() {}
