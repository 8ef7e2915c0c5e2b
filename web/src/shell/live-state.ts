/** The states that something live can be in, as marks and words tell them. */
export type LiveState =
  | 'starting'
  | 'ready'
  | 'working'
  | 'waiting'
  | 'failed'
  | 'idle'
  | 'limited'
  | 'interrupted'
  | 'ended'
  | 'finished'
