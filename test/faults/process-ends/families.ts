/**
 * Agents that make it hard to end them, as shell scripts. Each prints the line `up` when everything
 * it starts is there.
 */

/** Told to go by SIGUSR1, as if by itself. */
const goes = 'trap "exit 0" USR1'

export const families: Readonly<Record<string, string>> = {
  alone: 'echo up; exec sleep 1000',
  /** Children, orphans, some of them in groups of their own. */
  large: `${goes}; sleep 1000 & (sleep 1000 &) ; setsid sh -c 'sleep 1000 & exec sleep 1000' & echo up; while :; do sleep 1; done`,
  /** What wraps another, as npx does, and hands nothing on. */
  wrapped: `${goes}; sh -c 'sh -c "echo up; sleep 1000; :"; :' & wait`,
  /** Nobody in it minds being asked to end. */
  stubborn: `trap "" TERM; ${goes}; sleep 1000 & setsid sleep 1000 & echo up; while :; do sleep 1; done`,
  /** Starts others all the time, which it does not wait for. */
  busy: `${goes}; echo up; while :; do (sleep 5 &); sleep 0.02; done`,
  /** Writes without end, a moment later: its first word would not be heard. */
  loud: `${goes}; echo up; sleep 0.3; yes noise & while :; do sleep 1; done`,
  /** Children that carry no mark. */
  bare: `${goes}; env -i sleep 1000 & env -i sh -c 'sleep 1000; :' & echo up; while :; do sleep 1; done`,
  /** The output ends before the process does. */
  silent: `${goes}; echo up; exec >&- 2>&-; sleep 1000 & while :; do sleep 1; done`,
}
