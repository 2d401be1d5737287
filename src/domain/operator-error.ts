/** Something that only the operator can put right: said in one message, without a stack. */
export class OperatorError extends Error {}
