package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"formonce/internal/config"
	"formonce/internal/mail"
	"formonce/tenants"
)

// mailEvery is how soon a mail goes out at the latest when nothing is in its way.
const mailEvery = time.Second

// startMail sends what the service owes people. A process that answers nobody knows the public address from its settings
// only.
func (s *service) startMail(context.Context) error {
	public := s.public
	if public == nil {
		var err error
		if public, err = url.Parse(s.cfg.PublicURL); err != nil {
			return err
		}
	}

	secret, err := s.cfg.Secret()
	if err != nil {
		return err
	}

	mailbox, err := tenants.NewMailbox(s.db, []byte(secret), public)
	if err != nil {
		return err
	}

	sender, err := s.mailSender()
	if err != nil {
		return err
	}

	s.startLoop("send mails", mailEvery, func(ctx context.Context) error { return mailbox.Send(ctx, sender) })
	s.startLoop("remove old mails", sweepEvery, mailbox.Sweep)

	return nil
}

func (s *service) mailSender() (tenants.MailSender, error) {
	if s.cfg.SMTPURL == "" {
		return mail.Log{Log: s.opts.Log}, nil
	}

	return smtpOf(s.cfg)
}

func smtpOf(settings *config.Config) (*mail.SMTP, error) {
	sender, err := mail.NewSMTP(settings.SMTPURL, settings.MailFrom)
	if err != nil {
		return nil, fmt.Errorf("SMTP_URL and MAIL_FROM cannot be used: %w", err)
	}

	return sender, nil
}
