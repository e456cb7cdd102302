package forms

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
)

// longestBoundary is the limit of RFC 2046, section 5.1.1.
const longestBoundary = 70

var (
	errBoundary = malformed("The header Content-Type names no usable boundary. " +
		"Leave the header out and let the browser or the library write it.")
	errMultipart = malformed("The multipart body is cut off or damaged. Send it again.")
	errPartName  = malformed("A part of the multipart body has no name. " +
		`Give every part a header Content-Disposition: form-data; name="…".`)
)

// nameEscapes are the three that browsers write in the name of a part (the HTML standard, multipart/form-data encoding
// algorithm). Every other % in a name is only a %.
var nameEscapes = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// parseMultipart reads multipart/form-data (RFC 7578) part by part. A file input that was left empty is no field.
func parseMultipart(into *collector, body []byte, parameters map[string]string) (Family, error) {
	boundary := parameters["boundary"]
	if boundary == "" || len(boundary) > longestBoundary {
		return FamilyForm, errBoundary
	}

	// The last boundary need not end its line, but only a line that ends is told from one that was cut off.
	whole := io.MultiReader(bytes.NewReader(body), strings.NewReader("\r\n"), cutOff{})
	reader := multipart.NewReader(whole, boundary)

	var content bytes.Buffer

	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return FamilyForm, nil
		}

		if err != nil {
			return FamilyForm, errMultipart
		}

		if err := addPart(into, part, &content); err != nil {
			return FamilyForm, err
		}
	}
}

// cutOff is the end of a body for the reader of parts. Its own io.EOF then comes after the last boundary and nowhere else,
// and a body that ends in the middle of a header is not taken for a whole one.
type cutOff struct{}

// Read returns io.ErrUnexpectedEOF.
func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func addPart(into *collector, part *multipart.Part, content *bytes.Buffer) error {
	disposition, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	rawName, named := parameters["name"]

	if err != nil || disposition != "form-data" || !named {
		return errPartName
	}

	content.Reset()

	if _, err := content.ReadFrom(part); err != nil {
		return errMultipart
	}

	if !readablePart(part.Header.Get("Content-Type")) {
		return errCharset
	}

	name := nameEscapes.Replace(rawName)
	fileName, isFile := parameters["filename"]

	switch {
	case !isFile:
		into.addText(name, content.String())
	case fileName != "" || content.Len() > 0:
		into.refuseFile(name)
	}

	return nil
}

// readablePart refuses a charset that would be stored as other text than the visitor wrote. What a part says about its
// type is no concern of a field.
func readablePart(contentType string) bool {
	_, parameters, err := mime.ParseMediaType(contentType)

	return err != nil || readableCharsets[strings.ToLower(parameters["charset"])]
}
