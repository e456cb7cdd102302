package mail_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"

	"formonce/internal/mail"
)

const from = "Forms <forms@example.com>"

func message() mail.Message {
	return mail.Message{
		ID: "m1", To: "ada@example.net", Subject: "Grüße", Text: "Hello.\n", HTML: "<p>Hello.</p>",
		Link: "https://forms.example.com/x",
	}
}

func sender(t *testing.T, s *mailServer, user string) *mail.SMTP {
	t.Helper()

	made, err := mail.NewSMTP(s.url(user), from)
	if err != nil {
		t.Fatal(err)
	}

	return made
}

func TestAMailArrivesWithItsPartsAndItsID(t *testing.T) {
	t.Parallel()

	s := newMailServer(t, nil)
	if err := sender(t, s, "user:p%40ss@").Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}

	got := s.received()
	if len(got) != 1 || s.signed != 1 {
		t.Fatalf("%d mails arrived after %d sign-ins", len(got), s.signed)
	}

	read, err := netmail.ReadMessage(strings.NewReader(got[0]))
	if err != nil {
		t.Fatal(err)
	}

	subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	if err != nil || subject != "Grüße" || read.Header.Get("Message-ID") != "<m1@example.com>" ||
		read.Header.Get("From") != `"Forms" <forms@example.com>` || read.Header.Get("To") != "<ada@example.net>" ||
		read.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("got the subject %q (%v) and the header %v", subject, err, read.Header)
	}

	_, parameters, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}

	parts := multipart.NewReader(read.Body, parameters["boundary"])

	for _, want := range []string{"Hello.", "<p>Hello.</p>"} {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}

		text, err := io.ReadAll(part)
		if err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("got the part %q (%v), want %q", text, err, want)
		}
	}
}

func TestOnlyALastWordAboutTheMessageIsFinal(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]struct {
		answers map[string]string
		refused bool
		code    int
	}{
		"unknown recipient":         {map[string]string{"RCPT": "550 5.1.1 no such ada@example.net"}, true, 550},
		"recipient is over quota":   {map[string]string{"RCPT": "452 4.2.2 full"}, false, 452},
		"content is refused":        {map[string]string{".": "554 5.7.1 spam"}, true, 554},
		"content later":             {map[string]string{".": "451 4.3.0 later"}, false, 451},
		"sender is refused":         {map[string]string{"MAIL": "553 5.1.8 who are you"}, false, 553},
		"sign-in is refused":        {map[string]string{"AUTH": "535 5.7.8 wrong password"}, false, 0},
		"server is closed":          {map[string]string{"EHLO": "421 4.3.2 closed", "HELO": "421 4.3.2 closed"}, false, 0},
		"dropped at the start":      {map[string]string{"EHLO": "", "HELO": ""}, false, 0},
		"dropped at the recipient":  {map[string]string{"RCPT": ""}, false, 0},
		"dropped after the content": {map[string]string{".": ""}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := newMailServer(t, row.answers)
			err := sender(t, s, "user:pass@").Send(t.Context(), message())

			if err == nil || mail.Refused(err) != row.refused {
				t.Fatalf("got %v, refused: %v", err, mail.Refused(err))
			}

			said, is := errors.AsType[*mail.SMTPError](err)
			if is != (row.code != 0) || is && said.Code != row.code {
				t.Errorf("got %v, want the code %d", err, row.code)
			}

			for _, secret := range []string{"ada", "pass", "forms@"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error repeats %q: %v", secret, err)
				}
			}
		})
	}
}

func TestAMailThatWasTakenIsSentWhateverTheGoodbye(t *testing.T) {
	t.Parallel()

	s := newMailServer(t, map[string]string{"QUIT": "", "RSET": "500 what"})
	if err := sender(t, s, "").Send(t.Context(), message()); err != nil {
		t.Error(err)
	}
}

func TestAnAddressThatIsNoMailServersIsRefused(t *testing.T) {
	t.Parallel()

	for address, fine := range map[string]bool{
		"smtp://mail.example.com": true, "smtps://u:p@mail.example.com:2465": true, "smtp://[::1]:25": true,
		"mail.example.com": false, "http://mail.example.com": false, "smtp://": false, "smtp://mail.example.com:0": false,
	} {
		if _, err := mail.CheckServer(address); (err == nil) != fine {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

func TestTheServerCanBeTriedWithoutAMail(t *testing.T) {
	t.Parallel()

	if err := sender(t, newMailServer(t, nil), "u:p@").Check(t.Context()); err != nil {
		t.Error(err)
	}

	if err := sender(t, newMailServer(t, map[string]string{"AUTH": "535 no"}), "u:p@").Check(t.Context()); err == nil {
		t.Error("a server that does not let us in is fine")
	}
}

func TestTheLogShowsTheLinkAndNotTheText(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer

	log := mail.Log{Log: slog.New(slog.NewTextHandler(&out, nil))}
	if err := log.Send(t.Context(), message()); err != nil || log.Delivers() {
		t.Errorf("got %v, delivers: %v", err, log.Delivers())
	}

	if said := out.String(); !strings.Contains(said, "https://forms.example.com/x") || strings.Contains(said, "Hello") {
		t.Errorf("the log says %s", said)
	}
}
