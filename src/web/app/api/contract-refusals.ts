interface Refusal {
  readonly what: string
  readonly todo: string
}

const TOO_FEW_TOKENS: Refusal = {
  what: 'Your wallet holds fewer tokens than this takes.',
  todo: 'Take a smaller amount, or put more of them into the wallet.',
}
const NOT_ALLOWED: Refusal = {
  what: 'The token does not give the contract that much of yours.',
  todo: 'An earlier transaction of yours may have used what you signed, or is about to: look at your wallet, and start again once it is through.',
}

const PAID_ALREADY: Refusal = {
  what: 'This purchase has been carried out already.',
  todo: 'Look at your history.',
}

/** Reverts of the contracts, by the name of their error. */
export const CONTRACT_REFUSALS: Readonly<Record<string, Refusal>> = {
  BelowMinimumDeposit: {
    what: 'The amount is below the minimum purchase.',
    todo: 'Buy at least 100 credits.',
  },
  NotEnoughAvailable: {
    what: 'The account has fewer available credits than that.',
    todo: 'Take a smaller amount. Credits locked for jobs come free when the jobs end.',
  },
  StillThawing: {
    what: 'The waiting time is not over yet.',
    todo: 'Wait for the countdown, then take the credits out.',
  },
  NothingThaws: { what: 'Nothing is set aside.', todo: 'It was taken out already, or cancelled.' },
  VoucherExpired: {
    what: 'The permission to withdraw has expired.',
    todo: 'Withdraw again; a new one is made.',
  },
  BadVoucher: {
    what: 'The permission to withdraw was used already, is for another withdrawal, or is signed with a key that was replaced.',
    todo: 'Look at your history; if the money is not out, withdraw again: a new one is made. If that is refused, too, “Without us” needs none.',
  },
  ERC20InsufficientBalance: TOO_FEW_TOKENS,
  ERC20InsufficientAllowance: NOT_ALLOWED,
  ZeroAddress: {
    what: 'The address is zero, which is nobody’s.',
    todo: 'Give the address that is to be paid.',
  },
  EnforcedPause: {
    what: 'Deposits are paused at the moment.',
    todo: 'Try again later. Withdrawals are never paused.',
  },
  ERC3009UsedAuthorization: PAID_ALREADY,
  // USDG says nothing of one that was used: it pays nothing, and the escrow sees that.
  AmountReceivedDiffers: PAID_ALREADY,
  // USDG's own.
  ContractPaused: {
    what: 'The issuer of USDG has paused it: nobody can pay with it, or be paid, at the moment.',
    todo: 'Try again later. Your credits are safe, and you can use them meanwhile.',
  },
  AddressFrozen: {
    what: 'The issuer of USDG has frozen an address that the money would come from or go to.',
    todo: 'If it is yours, take another one. If it is not, try again later: nothing is lost.',
  },
  InsufficientFunds: TOO_FEW_TOKENS,
  InsufficientAllowance: NOT_ALLOWED,
  AuthorizationExpired: {
    what: 'The time in which your signature is good is over.',
    todo: 'Start again; you sign a new purchase.',
  },

  NothingToClaim: {
    what: 'Nothing can be paid out at this moment.',
    todo: 'Wait for what is held to come free. Somebody else may have had it paid out.',
  },
  StakeTooLow: { what: 'Less than that is at stake.', todo: 'Take a smaller amount.' },
  NotSignerOrPayee: {
    what: 'Only the worker’s own key and its payee may do this.',
    todo: 'Choose one of the two in your wallet.',
  },
  NotSigner: {
    what: 'Only the worker’s own key may do this.',
    todo: 'Choose that key in your wallet.',
  },
  StillUnbonding: {
    what: 'The seven days are not over.',
    todo: 'Wait for the countdown, then have it paid out.',
  },
  NothingUnbonding: { what: 'No stake is on its way out.', todo: 'It was paid out already.' },
  Deactivated: { what: 'This worker has left for good.', todo: 'Stake for another one.' },
  GovernorInsufficientProposerVotes: {
    what: 'You have too few votes to propose.',
    todo: 'Votes that were delegated just now count from the next block on: try again in a moment.',
  },
  GovernorAlreadyCastVote: { what: 'You have voted on it.', todo: 'A vote cannot be changed.' },
  GovernorUnexpectedProposalState: {
    what: 'The proposal is in another state by now, or the same one was made before.',
    todo: 'Reload the page. To propose the same once more, say it in other words.',
  },
  WrongStatus: {
    what: 'The model is in another state by now.',
    todo: 'Reload the page; another proposal may have come first.',
  },
  TimelockUnexpectedOperationState: {
    what: 'The timelock is not over yet, or it was carried out already.',
    todo: 'Reload the page.',
  },
}

/**
 * Names by selector. A contract's interface does not know what it passes on from another one that it
 * calls: the token, the registry, the timelock. And where a wallet hides what the node said inside of an
 * error of its own, the library names nothing.
 */
export const BY_SELECTOR: Readonly<Record<string, string>> = {
  '0xe450d38c': 'ERC20InsufficientBalance',
  '0xfb8f41b2': 'ERC20InsufficientAllowance',
  '0x8f7808c1': 'ERC3009UsedAuthorization',
  '0xa83bc8f0': 'AmountReceivedDiffers',
  '0xab35696f': 'ContractPaused',
  '0x1fd1cc44': 'AddressFrozen',
  '0x356680b7': 'InsufficientFunds',
  '0x13be252b': 'InsufficientAllowance',
  '0x0f05f5bf': 'AuthorizationExpired',
  '0xf86bd746': 'WrongStatus',
  '0x5ead8eb5': 'TimelockUnexpectedOperationState',
  '0x295df2bf': 'BelowMinimumDeposit',
  '0x0be03f15': 'NotEnoughAvailable',
  '0xeecb4ebb': 'StillThawing',
  '0x8115085f': 'NothingThaws',
  '0x07185d51': 'VoucherExpired',
  '0x6f2a72e8': 'BadVoucher',
  '0xd92e233d': 'ZeroAddress',
  '0xd93c0665': 'EnforcedPause',
  '0x969bf728': 'NothingToClaim',
  '0x207964a3': 'StakeTooLow',
  '0x0bc7a2df': 'NotSignerOrPayee',
  '0x4d5bb2d5': 'NotSigner',
  '0x892a59d8': 'StillUnbonding',
  '0x52de2948': 'NothingUnbonding',
  '0xa95e86d3': 'Deactivated',
  '0xc242ee16': 'GovernorInsufficientProposerVotes',
  '0x71c6af49': 'GovernorAlreadyCastVote',
  '0x31b75e4d': 'GovernorUnexpectedProposalState',
}
