package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/engine/vault"
	"payswitch/storage"
)

func userCommands() []command {
	return []command{
		{"user create", "make a user of the dashboard, or give a user a role, and print a one-time link", (*program).createUser},
		{"user link", "print a one-time link with which a user chooses a new password", (*program).linkUser},
		{"user list", "list the users of the dashboard with their roles", (*program).listUsers},
		{"user disable", "let a user in no more, and end the user's sessions", (*program).disableUser},
		{"audit verify", "follow the chain of the dashboard's audit, and say whether a line was changed or taken away", (*program).verifyAudit},
		{"user reset", "remove a user's password and second factors, and print a one-time link", (*program).resetUser},
	}
}

// withStaff runs f with the use cases of staff. It works with and without running nodes. The audit names the host for it, and no person.
func (p *program) withStaff(ctx context.Context, c Config,
	f func(ctx context.Context, s *staff.Service, db *storage.DB, address string) error) error {
	address := dashboardAddress(c.Dashboard, c.Dashboard.Listen)
	return p.openStore(ctx, c, func(ctx context.Context, c Config, db *storage.DB, v *vault.Vault) error {
		s, err := openStaff(c, db, v, address)
		if err != nil {
			return err
		}
		err = f(ctx, s, db, address)
		var shown *fault.Error
		if errors.As(err, &shown) && shown.Kind != fault.KindInternal {
			return errors.New(shown.Message)
		}
		return err
	})
}

func (p *program) printLink(address string, link secret.Value) {
	fmt.Fprintf(p.stdout, "The link works once, for %d hours:\n\n  %s\n\n", staff.InviteLinkTime/time.Hour, linkAddress(address, link))
}

// createUser makes a user with one role, or gives an existing user one role more.
func (p *program) createUser(ctx context.Context, args []string) error {
	f := p.flags("user create")
	email := f.String("email", "", "the user's e-mail `address`, which names the user at the login; payswitch sends no mail")
	name := f.String("name", "", "the user's `name`")
	role := f.String("role", "", "viewer, support, developer, admin or operator")
	merchant := f.String("merchant", "", "the `id` of the merchant that the role is for; without it, all merchants")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	if *email == "" || *role == "" {
		return usageError{"user create needs --email and --role"}
	}
	return p.withStaff(ctx, c, func(ctx context.Context, s *staff.Service, db *storage.DB, address string) error {
		if *merchant != "" {
			err := db.View(ctx, func(r engine.Reader) error { _, err := r.Merchant(*merchant); return err })
			if errors.Is(err, fault.ErrNotFound) {
				return fmt.Errorf("there is no merchant %s", *merchant)
			}
			if err != nil {
				return err
			}
		}
		link, _, err := s.Invite(ctx, nil, staff.InviteInput{Email: *email, Name: *name, Grants: []staff.Grant{{MerchantID: *merchant,
			Role: staff.Role(*role)}}})
		if err != nil {
			return err
		}
		if link.IsZero() {
			fmt.Fprintf(p.stdout, "%s has the role %s now.\n", *email, *role)
			return nil
		}
		p.printLink(address, link)
		return nil
	})
}

// onUser runs f on the user whose e-mail address is the command's argument.
func (p *program) onUser(ctx context.Context, name string, args []string,
	f func(ctx context.Context, s *staff.Service, id string) (link secret.Value, err error)) error {
	given, c, err := p.operandsAndConfig(p.flags(name+" EMAIL"), args, 1)
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return usageError{name + " needs the e-mail address of a user, from `payswitch user list`"}
	}
	return p.withStaff(ctx, c, func(ctx context.Context, s *staff.Service, _ *storage.DB, address string) error {
		id, err := s.FindUser(ctx, given[0])
		if err != nil {
			return err
		}
		link, err := f(ctx, s, id)
		if err == nil && !link.IsZero() {
			p.printLink(address, link)
		}
		return err
	})
}

func (p *program) linkUser(ctx context.Context, args []string) error {
	return p.onUser(ctx, "user link", args, func(ctx context.Context, s *staff.Service, id string) (secret.Value, error) {
		return s.NewLink(ctx, nil, id)
	})
}

func (p *program) resetUser(ctx context.Context, args []string) error {
	return p.onUser(ctx, "user reset", args, func(ctx context.Context, s *staff.Service, id string) (secret.Value, error) {
		return s.Reset(ctx, nil, id)
	})
}

func (p *program) disableUser(ctx context.Context, args []string) error {
	return p.onUser(ctx, "user disable", args, func(ctx context.Context, s *staff.Service, id string) (secret.Value, error) {
		err := s.Disable(ctx, nil, id)
		if err == nil {
			fmt.Fprintln(p.stdout, "The user is disabled, and the user's sessions have ended.")
		}
		return secret.Value{}, err
	})
}

func (p *program) listUsers(ctx context.Context, args []string) error {
	c, err := p.parseConfig(p.flags("user list"), args)
	if err != nil {
		return err
	}
	return p.withStaff(ctx, c, func(ctx context.Context, s *staff.Service, _ *storage.DB, _ string) error {
		list, err := s.Team(ctx, nil, "")
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "E-MAIL\tNAME\tSTATE\tROLES\tSECOND FACTOR\tLAST SEEN")
		for _, m := range list {
			var roles []string
			for _, g := range m.Grants {
				text := string(g.Role)
				if g.MerchantID != "" {
					text += "@" + g.MerchantID
				}
				roles = append(roles, text)
			}
			state, second, seen := string(m.State), "no", "-"
			if m.Locked {
				state = "locked"
			}
			if m.HasSecond {
				second = "yes"
			}
			if !m.SeenAt.IsZero() {
				seen = m.SeenAt.Format(time.RFC3339)
			}
			fmt.Fprintln(w, strings.Join([]string{m.Email, m.Name, state, strings.Join(roles, ","), second, seen}, "\t"))
		}
		return w.Flush()
	})
}

// verifyAudit checks the audit of the dashboard. It works while nodes run, and without them.
func (p *program) verifyAudit(ctx context.Context, args []string) error {
	f := p.flags("audit verify")
	known := f.String("hash", "", "the `hash` of a line that was noted before: it must still be in the chain")
	c, err := p.parseConfig(f, args)
	if err != nil {
		return err
	}
	return p.withStaff(ctx, c, func(ctx context.Context, s *staff.Service, _ *storage.DB, _ string) error {
		v, err := s.VerifyAudit(ctx, *known)
		switch {
		case err != nil:
			return err
		case v.Break != "":
			return fmt.Errorf("the audit was changed: %s; read Altered rows in OPERATIONS.md", v.Break)
		case !v.Known:
			return errors.New("no line has the hash that was noted: lines were taken from the end")
		case v.Lines == 0 && v.Older == 0:
			fmt.Fprintln(p.stdout, "The audit has no line yet: no person has used the dashboard.")
			return nil
		}
		fmt.Fprintf(p.stdout, "%d lines follow one another without a gap; %d lines are older than the chain.\nThe last line has the hash %s\n", v.Lines, v.Older, v.Hash)
		return nil
	})
}
