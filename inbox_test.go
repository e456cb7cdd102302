package main_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// TestASubmissionIsFoundByItsWordsWithinSeconds posts to a running service and searches it by the management API; what came in
// before everything was killed is found after the next start.
func TestASubmissionIsFoundByItsWordsWithinSeconds(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()

	tenant := s.must("tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "correct horse")
	key, _ := tenant["api_key"].(string)
	slug, _ := tenant["tenant_id"].(string)
	s.must("endpoint", "create", "--tenant", slug, "--id", "contact-form")

	found := func(query string) func() bool {
		return func() bool {
			got, err := s.send(http.MethodGet, "/api/v1/submissions?q="+url.QueryEscape(query), "", "Authorization", "Bearer "+key)
			data, _ := got.object()["data"].([]any)

			return err == nil && len(data) == 1
		}
	}

	s.post(202, "name=Zoë+Müller&message=Hello", "the-first-of-two-0001")

	posted := time.Now()
	s.eventually("found", found("zoe mull"))

	if took := time.Since(posted); took > 4*time.Second {
		t.Errorf("it was found after %v", took)
	}

	s.post(202, "name=山田太郎&message=Hello", "the-second-of-two-002")
	s.kill()
	s.start()
	s.eventually("found after everything was killed", found("太郎"))
}
