package api

import (
	_ "embed"
	"net/http"

	"github.com/gin-gonic/gin"
)

// Contract is the OpenAPI 3.1 document of the table, in YAML.
//
//go:embed openapi.yaml
var Contract []byte

// serveContract hands out the contract; it is the same for everybody and needs no credential.
func serveContract(c *gin.Context) {
	c.Header("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "application/yaml; charset=utf-8", Contract)
}
