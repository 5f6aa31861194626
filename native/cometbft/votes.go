package cometbft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cometbft/cometbft/consensus"
	rpccore "github.com/cometbft/cometbft/rpc/core"
)

// maxNames limits the validators in a message.
const maxNames = 5

// missingVotes returns the validators that take no part in CometBFT's current round.
func missingVotes(env *rpccore.Environment) string {
	state, is := env.ConsensusState.(*consensus.State)
	if !is {
		return ""
	}
	round := state.GetRoundState()
	if round.Votes == nil || round.Validators == nil {
		return ""
	}
	names := map[string]string{}
	for _, v := range env.GenDoc.Validators {
		names[string(v.Address)] = v.Name
	}
	votes := round.Votes.Precommits(round.Round)
	if votes == nil || votes.BitArray().IsEmpty() { // validators precommit only after enough of them have prevoted
		votes = round.Votes.Prevotes(round.Round)
	}
	if votes == nil {
		return ""
	}
	var missing []string
	for i, v := range round.Validators.Validators {
		if votes.GetByIndex(int32(i)) == nil {
			name := names[string(v.Address)]
			if name == "" {
				name = v.Address.String()
			}
			missing = append(missing, name)
		}
	}
	all := len(round.Validators.Validators)
	if len(missing) == 0 || len(missing) == all {
		return ""
	}
	slices.Sort(missing)
	list := strings.Join(missing[:min(len(missing), maxNames)], ", ")
	if more := len(missing) - maxNames; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("; %d of %d validators vote, and more than two thirds must: missing are %s", all-len(missing), all, list)
}
