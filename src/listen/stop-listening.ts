/** There is nothing to listen to, and trying again would not help. The message says what to do. */
export class StopListening extends Error {}
