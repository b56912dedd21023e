package agent

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/container"

	"github.com/rancher-agent-exporter/rancher_agent_exporter/demo/lab/shape"
)

// parseDockerRun reads the docker run command that share-mnt carries: the flags that Rancher 2.0.6 to 2.5.9 writes there,
// the image, its arguments. --privileged and the mounts are read and left out, see package shape. Errors tell no values of
// the command, which has the cluster's token.
func parseDockerRun(command string) (shape.Container, error) {
	words, err := splitWords(command)
	if err != nil {
		return shape.Container{}, err
	}
	if len(words) < 2 || words[0] != "docker" || words[1] != "run" {
		return shape.Container{}, errors.New("quoted command: not a docker run")
	}
	var c shape.Container
	for i := 2; i < len(words); i++ {
		word := words[i]
		if !strings.HasPrefix(word, "-") {
			c.Config.Image = word
			c.Config.Cmd = words[i+1:]
			return c, nil
		}
		flag, value, hasValue := strings.Cut(word, "=")
		if takesValue[flag] && !hasValue {
			if i++; i == len(words) {
				break
			}
			value = words[i]
		}
		if err := setFlag(&c, flag, value); err != nil {
			return shape.Container{}, err
		}
	}
	return shape.Container{}, errors.New("quoted command: no image")
}

var takesValue = map[string]bool{
	"--restart": true, "--net": true, "--network": true, "--name": true,
	"-v": true, "--volume": true, "-e": true, "--env": true,
}

// setFlag takes over one flag of docker run.
func setFlag(c *shape.Container, flag, value string) error {
	switch flag {
	case "-d", "--detach", "--privileged", "-v", "--volume":
	case "--net", "--network":
		c.Host.NetworkMode = container.NetworkMode(value)
	case "--restart":
		name, most, limited := strings.Cut(value, ":")
		c.Host.RestartPolicy.Name = container.RestartPolicyMode(name)
		if limited {
			n, err := strconv.Atoi(most)
			if err != nil {
				return errors.New("quoted command: --restart: no number behind the colon")
			}
			c.Host.RestartPolicy.MaximumRetryCount = n
		}
	case "--name":
		c.Name = value
	case "-e", "--env":
		c.Config.Env = append(c.Config.Env, value)
	default:
		return fmt.Errorf("quoted command: docker run flag %q is none that Rancher writes", flag)
	}
	return nil
}

// splitWords splits a command as bash does, as far as Rancher needs it: blanks, quotes and backslashes.
func splitWords(command string) ([]string, error) {
	var (
		words  []string
		word   strings.Builder
		inWord bool
		quote  rune
		escape bool
	)
	for _, r := range command {
		switch {
		case escape:
			word.WriteRune(r)
			escape = false
		case r == '\\' && quote != '\'':
			escape, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escape {
		return nil, errors.New("quoted command: a quote or an escape is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
