package rancher

// OtherServers is the label of all server URLs beyond the limit of [ServersOf].
const OtherServers = "other"

// ServerGroup sums up the live cert-writers of one server URL.
type ServerGroup struct {
	Server string // scheme://host[:port], Unknown or OtherServers
	Count  int
	Oldest int64 // creation of the oldest one, Unix seconds
	Newest int64 // creation of the newest one, Unix seconds
}

// Servers groups cert-writers by server URL.
type Servers struct {
	Groups []ServerGroup // the group with the oldest cert-writer first
	limit  int
	labels map[string]string
}

// ServersOf groups cert-writers, the oldest first, by server URL. The limit URLs seen first, whose oldest cert-writer
// is oldest, get a group each, besides [Unknown]; all others share [OtherServers].
func ServersOf(certWriters []*Agent, limit int) Servers {
	s := Servers{limit: limit, labels: map[string]string{Unknown: Unknown}}
	at := make(map[string]int)
	for _, a := range certWriters {
		label := s.admit(a.Server)
		i, ok := at[label]
		if !ok {
			i = len(s.Groups)
			at[label] = i
			s.Groups = append(s.Groups, ServerGroup{Server: label, Oldest: a.Created})
		}
		s.Groups[i].Count++
		s.Groups[i].Newest = a.Created // the oldest come first
	}
	return s
}

// Label is the label value of a server URL: itself, or [OtherServers] beyond the limit.
func (s Servers) Label(server string) string {
	if label, ok := s.labels[server]; ok {
		return label
	}
	return OtherServers
}

// admit gives a server URL a label of its own while the limit allows it.
func (s Servers) admit(server string) string {
	if _, ok := s.labels[server]; !ok && len(s.labels) <= s.limit { // Unknown is one of them and does not count
		s.labels[server] = server
	}
	return s.Label(server)
}
