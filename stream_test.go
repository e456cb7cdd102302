package main_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOpenStreamsKeepNoServiceFromEnding listens as several browsers do, and stops the service under them.
func TestOpenStreamsKeepNoServiceFromEnding(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()

	tenant := s.must("tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "correct horse")
	id, _ := tenant["tenant_id"].(string)
	key, _ := tenant["api_key"].(string)
	s.must("endpoint", "create", "--tenant", id, "--id", "contact-form")

	streams := make([]*bufio.Reader, 5)
	for i := range streams {
		streams[i] = s.listen(key)
	}

	accepted := s.post(202, "a=1", "stream-end-0123456789").object()

	for _, stream := range streams {
		for told := ""; !strings.Contains(told, accepted["submission_id"].(string)); {
			line, err := stream.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended before it told of the submission: %v", err)
			}

			told = line
		}
	}

	if status := s.terminate(); status != 0 {
		t.Errorf("the service ended with status %d:\n%s", status, s.err)
	}

	for _, stream := range streams {
		if _, err := io.Copy(io.Discard, stream); err != nil {
			t.Errorf("a stream was cut off instead of ended: %v", err)
		}
	}
}

// listen opens a stream of news and returns it when it is ready.
func (s *service) listen(key string) *bufio.Reader {
	s.Helper()

	base, _ := s.base.Load().(string)

	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, base+"/api/v1/stream", http.NoBody)
	if err != nil {
		s.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+key)

	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}

	s.Cleanup(func() { _ = answer.Body.Close() })

	stream := bufio.NewReader(answer.Body)

	for line := ""; line != "event: ready\n"; {
		if line, err = stream.ReadString('\n'); err != nil {
			s.Fatalf("the stream (%d) is not ready: %v", answer.StatusCode, err)
		}
	}

	return stream
}
