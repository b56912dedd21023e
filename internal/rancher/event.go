package rancher

import "time"

// Event is something that happened to a container, as the Docker Engine reports it.
type Event struct {
	ID         string            // of the container; "" for a prune
	Action     string            // one of EventActions, or EventPrune
	Time       time.Time         // the engine's clock
	Attributes map[string]string // the container's labels, its name without slash, and its image
}

// EventPrune is the action of a container prune (docker container prune, docker system prune), which engines report from
// 20.10 (API 1.41) on.
const EventPrune = "prune"

// EventActions lists the actions in the life of one container that are worth counting.
func EventActions() []string { return []string{"create", "start", "die", "destroy"} }

// EventRoles lists the roles whose events are worth counting.
func EventRoles() []Role { return []Role{RoleCertWriter, RoleShareMnt, RoleNodeAgent} }

// Role tells the role of the event's container from the event alone. It is uncertain for a container that may have the
// agent image and belongs to no pod: what that is only its command tells.
func (e Event) Role() (role Role, certain bool) {
	if role, certain := identity(e.Attributes, []string{e.Attributes["name"]}); certain {
		return role, true
	}
	image := e.Attributes["image"]
	return RoleNone, !hasAgentImage(e.Attributes, image, newMemory()) && !isImageID(image)
}
