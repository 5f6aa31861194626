package dapp

import (
	"encoding/json"

	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/dapp"
)

// shower describes messages.
type shower struct {
	*Wallet
	*dapp.Description
	known map[string]tx.Asset // by denom
}

// maxDisplayed limits the length of unreadable texts, in bytes.
const maxDisplayed = 4 << 10

// message describes one message, and sets the kind of a transaction that has only this message.
func (s *shower) message(m *message) error {
	s.Kind = dapp.Transaction
	switch known := m.known.(type) {
	case *wire.MsgSend:
		s.from(known.From)
		s.transferOf(known.Amount)
		s.Show("To", known.To)
		return s.amounts("Amount", known.Amount)
	case *wire.MsgMultiSend:
		return s.multiSend(known)
	case *wire.MsgTransfer:
		s.from(known.Sender)
		s.transferOf([]wire.Coin{known.Token})
		s.Show("To another chain, by IBC", known.Receiver)
		s.Show("Channel", known.SourcePort+"/"+known.SourceChannel)
		if known.Memo != "" {
			s.Show("Memo for the other chain", known.Memo)
			s.Warn("The other chain may act on the memo of a transfer, and send the coins on.")
		}
		return s.amounts("Amount", []wire.Coin{known.Token})
	case *wire.MsgDelegate:
		return s.stake("Stake with", &known.Stake)
	case *wire.MsgUndelegate:
		return s.stake("Unstake from", &known.Stake)
	case *wire.MsgBeginRedelegate:
		s.from(known.Delegator)
		s.Show("Move stake from", known.From)
		s.Show("To", known.To)
		return s.amounts("Amount", []wire.Coin{known.Amount})
	case *wire.MsgWithdrawDelegatorReward:
		s.from(known.Delegator)
		s.Show("Collect rewards from", known.Validator)
		return nil
	case *wire.MsgExecuteContract:
		return s.contract(m, known)
	}
	s.unknown(m)
	return nil
}

func (s *shower) multiSend(m *wire.MsgMultiSend) error {
	for _, in := range m.Inputs {
		s.from(in.Address)
	}
	for _, out := range m.Outputs {
		s.Show("To", out.Address)
		if err := s.amounts("Amount", out.Coins); err != nil {
			return err
		}
	}
	return nil
}

func (s *shower) stake(name string, m *wire.Stake) error {
	s.from(m.Delegator)
	s.Show(name, m.Validator)
	return s.amounts("Amount", []wire.Coin{m.Amount})
}

func (s *shower) contract(m *message, known *wire.MsgExecuteContract) error {
	if !json.Valid(known.Msg) {
		m.text = string(known.Msg)
		s.unknown(m)
		return nil
	}
	s.Kind = dapp.Call
	s.from(known.Sender)
	s.Show("Contract", known.Contract)
	s.ShowPart("Call", string(known.Msg), maxDisplayed)
	s.Warn("It is not known what this contract call does. It may move all coins that the contract has access to.")
	return s.amounts("Amount for the contract", known.Funds)
}

// unknown describes a message of an unknown type.
func (s *shower) unknown(m *message) {
	s.Show("Type", m.name)
	s.ShowPart("Content", m.text, maxDisplayed)
	s.Warn("It is not known what a message of this transaction does. It may move all your coins, or let others do so.")
}

// from shows the sender of coins if it is not the account.
func (s *shower) from(sender string) {
	if sender != s.Wallet.Address {
		s.Show("From", sender)
		s.Warn("It acts for another account.")
	}
}

// transferOf describes a transfer. Its kind depends on whether it is of the chain's native coin
// or of others.
func (s *shower) transferOf(coins []wire.Coin) {
	s.Kind = dapp.Transfer
	if len(coins) == 1 && coins[0].Denom == s.TxChain.Native.Denom {
		s.Kind = dapp.Send
	}
}

func (s *shower) amounts(name string, coins []wire.Coin) error {
	for _, c := range coins {
		amount, ticker, err := s.amount(c)
		if err != nil {
			return err
		}
		s.Show(name, amount+" "+ticker)
	}
	return nil
}
