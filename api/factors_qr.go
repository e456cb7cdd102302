package api

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quietZone is how many modules stay empty around a QR code (ISO/IEC 18004, section 5.3.8).
const quietZone = 4

// drawQR returns the text as a QR code in SVG, one unit for each module, black on white whatever the page's colours are, so
// that every camera can read it.
func drawQR(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}

	side := code.Bounds().Dx()

	var path strings.Builder

	for y := range side {
		for x := 0; x < side; x++ {
			run := x
			for run < side && code.At(run, y) == color.Black {
				run++
			}

			if run > x {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x+quietZone, y+quietZone, run-x, run-x)
				x = run
			}
		}
	}

	whole := side + 2*quietZone

	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`, whole, whole, whole, whole, path.String()), nil
}
