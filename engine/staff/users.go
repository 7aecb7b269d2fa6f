package staff

import (
	"context"
	"errors"
	"net/mail"
	"slices"
	"strings"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/secret"
)

// Lives of links. A first link stands in a log, so it is short; an invitation waits for a person.
const (
	FirstLinkTime  = time.Hour
	InviteLinkTime = 72 * time.Hour
)

// InviteInput is a new user.
type InviteInput struct {
	Email  string
	Name   string // "": the part of Email before the @
	Grants []Grant
}

// HasUsers reports whether the installation has a user.
func (s *Service) HasUsers(ctx context.Context) (has bool, err error) {
	err = s.view(ctx, "read the users", func(r Reader) error {
		list, err := r.StaffUsers("", 1)
		has = len(list) > 0
		return err
	})
	return has, err
}

// FirstLink returns a link text for the first user. ok is false if there is a user already.
func (s *Service) FirstLink(ctx context.Context) (text secret.Value, ok bool, err error) {
	text = newToken()
	err = s.update(ctx, "make the first link", func(tx Tx) error {
		list, err := tx.StaffUsers("", 1)
		if ok = len(list) == 0; !ok || err != nil {
			return err
		}
		return s.issue(tx, onceFirst, "", "", text, FirstLinkTime)
	})
	return text, ok, err
}

// DemoLink returns a link text that logs the demo's user in. It makes the user, who has every role.
func (s *Service) DemoLink(ctx context.Context, email, name string) (text secret.Value, err error) {
	if !s.opts.Demo {
		return text, errors.New("only the demo has links that log in")
	}
	text = newToken()
	err = s.update(ctx, "make the demo's user", func(tx Tx) error {
		u, err := tx.StaffUserByEmail(s.emailHash(email))
		if errors.Is(err, fault.ErrNotFound) {
			u, err = s.insert(tx, email, name, Active, UserDetails{Grants: []Grant{{Role: Operator}, {Role: Admin}}}, "")
		}
		if err != nil {
			return err
		}
		return s.issue(tx, onceEnter, u.ID, "", text, 24*time.Hour)
	})
	return text, err
}

func (s *Service) insert(tx Tx, email, name string, state State, details UserDetails, password string) (*User, error) {
	now := s.Now()
	u := &User{ID: s.newID("user_"), EmailHash: s.emailHash(email), State: state, Details: details, CreatedAt: now, ModifiedAt: now,
		Private: Private{Name: name, Email: strings.TrimSpace(email), Password: password}}
	if err := s.seal(u); err != nil {
		return nil, err
	}
	return u, tx.InsertStaffUser(u)
}

// checkPerson checks address and name, and returns them trimmed.
func checkPerson(email, name string) (string, string, error) {
	email, name = strings.TrimSpace(email), strings.TrimSpace(name)
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > 254 {
		return "", "", refuse(fault.KindInvalid, "email", "This is not an e-mail address: write one such as ada@example.com")
	}
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	if len(name) > maxName {
		return "", "", refuse(fault.KindInvalid, "name", "The name must have at most 100 characters")
	}
	return email, name, nil
}

// LinkView is the purpose of a link. Reading a link does not use it up.
type LinkView struct {
	First bool // it makes the first user
	Enter bool // it logs in at once
	Email string
	Name  string
	Ends  time.Time
}

// Link reads a link.
func (s *Service) Link(ctx context.Context, text secret.Value) (v LinkView, err error) {
	err = s.view(ctx, "read a link", func(r Reader) error {
		o, err := s.peek(r, text, onceFirst, onceInvite, onceReset, onceEnter)
		if err != nil {
			return err
		}
		v = LinkView{First: o.Kind == onceFirst, Enter: o.Kind == onceEnter, Ends: o.EndsAt}
		if o.UserID == "" {
			return nil
		}
		u, err := s.user(r, o.UserID)
		if err == nil {
			v.Email, v.Name = u.Private.Email, u.Private.Name
		}
		return err
	})
	return v, err
}

// LinkInput is what a person enters with a link. Email counts for the first user alone.
type LinkInput struct {
	Email    string
	Name     string
	Password secret.Value
}

// UseLink uses a link up: it makes the first user, or sets the password of an invited one, and logs in.
func (s *Service) UseLink(ctx context.Context, v Visit, text secret.Value, in LinkInput) (*LoginResult, error) {
	view, err := s.Link(ctx, text)
	if err != nil {
		return nil, err
	}
	email, name, password := view.Email, view.Name, ""
	if view.First {
		email = in.Email
	}
	if in.Name != "" {
		name = in.Name
	}
	if email, name, err = checkPerson(email, name); err != nil {
		return nil, err
	}
	if !view.Enter {
		if err := CheckPassword(in.Password, email, name); err != nil {
			return nil, err
		}
		if password, err = s.hasher.make(ctx, in.Password); err != nil {
			return nil, fault.Internal(err, "hash a password")
		}
	}
	var out *LoginResult
	err = s.update(ctx, "use a link", func(tx Tx) error {
		if err := s.spend(tx, v.Address); err != nil {
			return err
		}
		o, err := s.peek(tx, text, onceFirst, onceInvite, onceReset, onceEnter)
		if err != nil {
			return err
		}
		if tx.DeleteStaffOnce(o.Hash) != nil {
			return ErrLink
		}
		var u *User
		switch o.Kind {
		case onceFirst:
			u, err = s.first(tx, email, name, password)
		case onceEnter:
			u, err = s.user(tx, o.UserID)
		default:
			u, err = s.accept(tx, o.UserID, name, password)
		}
		if err != nil {
			return err
		}
		if u.State != Active {
			return ErrLink
		}
		if err := s.note(tx, nil, v, Entry{UserID: u.ID, Action: "link.used", Target: u.ID,
			Details: map[string]string{"for": string(o.Kind)}}); err != nil {
			return err
		}
		out, err = s.enter(tx, v, u, nil, ByPassword)
		return err
	})
	return out, err
}

// first makes the first user, who gets every role. Two links that are used at once make one user.
func (s *Service) first(tx Tx, email, name, password string) (*User, error) {
	if _, err := s.tries(tx, "first", "user"); err != nil { // the lock of this row lets one transaction in after the other
		return nil, err
	}
	list, err := tx.StaffUsers("", 1)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		return nil, ErrLink
	}
	return s.insert(tx, email, name, Active, UserDetails{Grants: []Grant{{Role: Operator}, {Role: Admin}}}, password)
}

// accept sets the password that a person has chosen with a link.
func (s *Service) accept(tx Tx, userID, name, password string) (*User, error) {
	u, err := s.user(tx, userID)
	if err != nil {
		return nil, err
	}
	if u.State == Disabled {
		return nil, ErrLink
	}
	u.State, u.Private.Name, u.Private.Password, u.ModifiedAt = Active, name, password, s.Now()
	if err := s.save(tx, u); err != nil {
		return nil, err
	}
	_, err = tx.DeleteStaffLoginsOf(u.ID, nil)
	return u, errors.Join(err, tx.DeleteStaffOncesOf(u.ID))
}

// Member is a user as administrators see it.
type Member struct {
	ID        string
	Name      string
	Email     string
	State     State
	Grants    []Grant
	HasSecond bool
	Locked    bool
	CreatedAt time.Time
	SeenAt    time.Time // the last request; zero: not logged in
	// Whole is true if the caller may disable, reset and unlock the user: every grant of the user is the caller's to give.
	Whole bool
}

// Team lists the users with a role at a merchant. merchantID "" lists all users.
func (s *Service) Team(ctx context.Context, by *Session, merchantID string) (out []Member, err error) {
	if !s.manages(by, merchantID) {
		return nil, ErrNotPermitted
	}
	err = s.view(ctx, "list users", func(r Reader) error {
		out = nil
		for after := ""; ; {
			list, err := r.StaffUsers(after, 200)
			if err != nil {
				return err
			}
			for _, u := range list {
				after = u.ID
				if merchantID != "" && !slices.ContainsFunc(u.Details.Grants, func(g Grant) bool { return g.Covers(merchantID) }) {
					continue
				}
				m, err := s.member(r, by, u)
				if err != nil {
					return err
				}
				out = append(out, m)
			}
			if len(list) < 200 {
				return nil
			}
		}
	})
	return out, err
}

// Member returns one user.
func (s *Service) Member(ctx context.Context, by *Session, userID string) (m Member, err error) {
	err = s.view(ctx, "read a user", func(r Reader) error {
		u, err := r.StaffUser(userID)
		if errors.Is(err, fault.ErrNotFound) {
			return fault.NotFound("User")
		}
		if err != nil {
			return err
		}
		if m, err = s.member(r, by, u); err == nil && len(m.Grants) == 0 && !s.manages(by, "") {
			err = fault.NotFound("User")
		}
		return err
	})
	return m, err
}

func (s *Service) member(r Reader, by *Session, u *User) (Member, error) {
	if err := s.open(u); err != nil {
		return Member{}, err
	}
	m := Member{ID: u.ID, Name: u.Private.Name, Email: u.Private.Email, State: u.State, HasSecond: u.Private.hasSecond(),
		CreatedAt: u.CreatedAt, Whole: s.whole(by, u)}
	for _, g := range u.Details.Grants {
		if s.manages(by, g.MerchantID) || g.MerchantID == "" {
			m.Grants = append(m.Grants, g)
		}
	}
	t, err := r.StaffTries(s.hash("tries of user", string(u.EmailHash)))
	if err == nil {
		m.Locked = t.Until.After(s.Now())
	} else if !errors.Is(err, fault.ErrNotFound) {
		return m, err
	}
	logins, err := r.StaffLoginsOf(u.ID)
	for _, l := range logins {
		if l.SeenAt.After(m.SeenAt) {
			m.SeenAt = l.SeenAt
		}
	}
	return m, err
}

// manages reports whether a person may give roles at a merchant. by nil is a command on the host.
func (s *Service) manages(by *Session, merchantID string) bool {
	return by == nil || by.May(ManageUsers, "") || merchantID != "" && by.May(ManageTeam, merchantID)
}

// whole reports whether every grant of a user is the person's to give. Otherwise an administrator of one merchant could take over an operator.
func (s *Service) whole(by *Session, u *User) bool {
	if len(u.Details.Grants) == 0 {
		return s.manages(by, "")
	}
	return !slices.ContainsFunc(u.Details.Grants, func(g Grant) bool { return !s.manages(by, g.MerchantID) })
}

// checkGrants checks that a person may give grants.
func (s *Service) checkGrants(by *Session, grants []Grant) error {
	if len(grants) == 0 {
		return refuse(fault.KindInvalid, "role", "Choose a role")
	}
	for _, g := range grants {
		switch {
		case !g.Role.Valid():
			return refuse(fault.KindInvalid, "role", "The role "+string(g.Role)+" is not known")
		case g.Role == Operator && g.MerchantID != "":
			return refuse(fault.KindInvalid, "role", "The role operator is for the whole installation: leave the merchant out")
		case !s.manages(by, g.MerchantID):
			return ErrNotPermitted
		}
	}
	return nil
}

// Invite makes a user, or gives a user of this address more roles. The link lets a new user choose a password; an existing user needs no link, and
// the text is empty. payswitch sends no mail, so that an address proves nothing: a user of another team gets a role by an operator alone, and a user who
// has lost every role begins anew.
func (s *Service) Invite(ctx context.Context, by *Session, in InviteInput) (link secret.Value, userID string, err error) {
	email, name, err := checkPerson(in.Email, in.Name)
	if err != nil {
		return link, "", err
	}
	if err := s.mayChange(by, in.Grants); err != nil {
		return link, "", err
	}
	err = s.update(ctx, "invite a user", func(tx Tx) error {
		link = newToken()
		u, err := tx.StaffUserByEmail(s.emailHash(email))
		switch {
		case errors.Is(err, fault.ErrNotFound):
			details := UserDetails{Grants: in.Grants}
			s.linked(&details, by)
			if u, err = s.insert(tx, email, name, Invited, details, ""); err != nil {
				return err
			}
			if err := s.issue(tx, onceInvite, u.ID, "", link, InviteLinkTime); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			if err := s.open(u); err != nil {
				return err
			}
			switch {
			case len(u.Details.Grants) == 0 && u.State != Disabled: // an administrator who no longer counts may have chosen the password
				u.State, u.Private = Invited, Private{Name: name, Email: u.Private.Email}
				if _, err := tx.DeleteStaffLoginsOf(u.ID, nil); err != nil {
					return err
				}
				if err := s.forgive(tx, u.EmailHash, true); err != nil {
					return err
				}
			case !s.whole(by, u): // the address proves nothing: another team has made the user, and may know its password
				return refuse(fault.KindInvalid, "email", "A user with this address exists, and does not belong to this team: ask an operator to give the role")
			}
			for _, g := range in.Grants {
				if slices.ContainsFunc(u.Details.Grants, func(have Grant) bool { return have.MerchantID == g.MerchantID }) {
					return refuse(fault.KindInvalid, "email", "A user with this address has a role here already: change it in the list")
				}
			}
			if err := s.endLinks(tx, u, in.Grants); err != nil {
				return err
			}
			if u.State != Invited {
				link = secret.Value{}
			} else if err := s.issue(tx, onceInvite, u.ID, "", link, InviteLinkTime); err != nil {
				return err
			} else {
				s.linked(&u.Details, by)
			}
			u.Details.Grants = append(u.Details.Grants, in.Grants...)
			if err := s.changed(tx, u, false); err != nil { // Session ends logins that lack a factor now
				return err
			}
		}
		userID = u.ID
		return s.note(tx, by, Visit{}, Entry{Action: "user.invited", Target: u.ID, MerchantID: in.Grants[0].MerchantID, Details: rolesOf(in.Grants)})
	})
	return link, userID, err
}

// endLinks ends the links of a user who gets a role at another merchant than before. The person who made those links may have no right at the new
// merchant, and could use them.
func (s *Service) endLinks(tx Tx, u *User, more []Grant) error {
	for _, g := range more {
		if !slices.ContainsFunc(u.Details.Grants, func(have Grant) bool { return have.MerchantID == g.MerchantID }) {
			return tx.DeleteStaffOncesOf(u.ID)
		}
	}
	return nil
}

// mayChange checks rights and second factor for a change of users.
func (s *Service) mayChange(by *Session, grants []Grant) error {
	if err := s.checkGrants(by, grants); err != nil {
		return err
	}
	if by != nil && !by.Fresh(s.Now()) {
		return ErrStepUp
	}
	return nil
}

// changed writes a user whose rights have changed, and ends its logins: the next login proves what the new roles need.
func (s *Service) changed(tx Tx, u *User, end bool) error {
	u.ModifiedAt = s.Now()
	if err := s.save(tx, u); err != nil {
		return err
	}
	if !end {
		return nil
	}
	_, err := tx.DeleteStaffLoginsOf(u.ID, nil)
	return err
}

func rolesOf(grants []Grant) map[string]string {
	var names []string
	for _, g := range grants {
		names = append(names, string(g.Role))
	}
	return map[string]string{"roles": strings.Join(names, ", ")}
}

// SetGrants replaces a user's roles at one merchant, or with "" for the installation. An empty list takes them away. People cannot change their own.
func (s *Service) SetGrants(ctx context.Context, by *Session, userID, merchantID string, grants []Grant) error {
	for i := range grants {
		grants[i].MerchantID = merchantID
	}
	if !s.manages(by, merchantID) || by != nil && by.UserID == userID {
		return ErrNotPermitted
	}
	if len(grants) > 0 {
		if err := s.checkGrants(by, grants); err != nil {
			return err
		}
	}
	return s.manage(ctx, by, userID, "user.roles", merchantID, rolesOf(grants), func(tx Tx, u *User) error {
		if len(u.Details.Grants) == 0 && len(grants) > 0 { // as in Invite: an administrator without rights here may have chosen the password
			return refuse(fault.KindInvalid, "role", "The user has no role any more: invite the address again, and the user chooses a new password")
		}
		if err := s.endLinks(tx, u, grants); err != nil {
			return err
		}
		u.Details.Grants = append(slices.DeleteFunc(u.Details.Grants, func(g Grant) bool { return g.MerchantID == merchantID }), grants...)
		return nil
	})
}

// manage changes a user, ends its logins, and writes a line of the audit.
func (s *Service) manage(ctx context.Context, by *Session, userID, action, merchantID string, details map[string]string,
	f func(tx Tx, u *User) error) error {
	if by != nil && !by.Fresh(s.Now()) {
		return ErrStepUp
	}
	return s.update(ctx, "change a user", func(tx Tx) error {
		u, err := s.user(tx, userID)
		if errors.Is(err, fault.ErrNotFound) {
			return fault.NotFound("User")
		}
		if err != nil {
			return err
		}
		if err := f(tx, u); err != nil {
			return err
		}
		if err := s.changed(tx, u, true); err != nil {
			return err
		}
		return s.note(tx, by, Visit{}, Entry{Action: action, Target: u.ID, MerchantID: merchantID, Details: details})
	})
}

// manageWhole is manage for a change of the whole user.
func (s *Service) manageWhole(ctx context.Context, by *Session, userID, action string,
	f func(tx Tx, u *User) error) error {
	return s.manage(ctx, by, userID, action, "", nil, func(tx Tx, u *User) error {
		if !s.whole(by, u) || by != nil && by.UserID == userID {
			return ErrNotPermitted
		}
		return f(tx, u)
	})
}

// Disable ends a user's logins and links, and lets the user in no more.
func (s *Service) Disable(ctx context.Context, by *Session, userID string) error {
	return s.manageWhole(ctx, by, userID, "user.disabled", func(tx Tx, u *User) error {
		u.State = Disabled
		return tx.DeleteStaffOncesOf(u.ID)
	})
}

// Enable lets a disabled user in again, with the password and factors of before.
func (s *Service) Enable(ctx context.Context, by *Session, userID string) error {
	return s.manageWhole(ctx, by, userID, "user.enabled", func(_ Tx, u *User) error {
		if u.State == Disabled {
			u.State = Active
			if u.Private.Password == "" {
				u.State = Invited
			}
		}
		return nil
	})
}

// NewLink returns a link with which the user chooses a new password. Older links of the user end, and so does a lock. It leaves second factors.
func (s *Service) NewLink(ctx context.Context, by *Session, userID string) (link secret.Value, err error) {
	err = s.manageWhole(ctx, by, userID, "user.link", func(tx Tx, u *User) error {
		link = newToken()
		return s.relink(tx, by, u, link)
	})
	return link, err
}

// Reset removes a user's password and second factors, and returns a link for new ones. It is for a person who has lost them.
func (s *Service) Reset(ctx context.Context, by *Session, userID string) (link secret.Value, err error) {
	err = s.manageWhole(ctx, by, userID, "user.reset", func(tx Tx, u *User) error {
		link = newToken()
		u.Private = Private{Name: u.Private.Name, Email: u.Private.Email}
		if u.State == Active {
			u.State = Invited
		}
		return s.relink(tx, by, u, link)
	})
	return link, err
}

func (s *Service) relink(tx Tx, by *Session, u *User, link secret.Value) error {
	if u.State == Disabled {
		return refuse(fault.KindInvalid, "", "The user is disabled: enable the user first")
	}
	kind := onceReset
	if u.State == Invited {
		kind = onceInvite
	}
	if err := tx.DeleteStaffOncesOf(u.ID); err != nil {
		return err
	}
	if err := s.forgive(tx, u.EmailHash, true); err != nil {
		return err
	}
	s.linked(&u.Details, by)
	return s.issue(tx, kind, u.ID, "", link, InviteLinkTime)
}

// Unlock ends a lock. The administrator has made sure before that the right person asks.
func (s *Service) Unlock(ctx context.Context, by *Session, userID string) error {
	return s.manageWhole(ctx, by, userID, "user.unlocked", func(tx Tx, u *User) error { return s.forgive(tx, u.EmailHash, true) })
}

// FindUser returns the id of the user with an e-mail address, for commands on the host.
func (s *Service) FindUser(ctx context.Context, email string) (id string, err error) {
	err = s.view(ctx, "find a user", func(r Reader) error {
		u, err := r.StaffUserByEmail(s.emailHash(email))
		if errors.Is(err, fault.ErrNotFound) {
			return fault.NotFound("A user with the address " + email)
		}
		if err == nil {
			id = u.ID
		}
		return err
	})
	return id, err
}
