/**
 * The state of something live: the same meanings everywhere, told by shape and word as well as by
 * colour.
 */
import type { LiveState } from './live-state.ts'

export type { LiveState }

const shapes = {
  starting: (
    <circle
      cx="5"
      cy="5"
      r="3.25"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeDasharray="2.5 2"
    />
  ),
  ready: <circle cx="5" cy="5" r="3.5" fill="currentColor" />,
  working: (
    <>
      <circle cx="5" cy="5" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 1.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" />
    </>
  ),
  waiting: <path d="m5 .5 4.5 4.5L5 9.5.5 5z" fill="currentColor" />,
  failed: <path d="M5 1 9.5 9h-9z" fill="currentColor" />,
  idle: <circle cx="5" cy="5" r="3" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  limited: <path d="M2 1.5h2v7H2zM6 1.5h2v7H6z" fill="currentColor" />,
  interrupted: <path d="M6 0 1.5 6H4L3.5 10 8.5 4H6z" fill="currentColor" />,
  ended: <path d="M1.5 4.25h7v1.5h-7z" fill="currentColor" />,
  finished: (
    <path d="m1 5.25 2.75 2.75L9 2.5" fill="none" stroke="currentColor" strokeWidth="1.75" />
  ),
} as const

const colours = {
  starting: 'text-faint',
  ready: 'text-accent',
  working: 'text-accent',
  waiting: 'text-warn',
  failed: 'text-bad',
  idle: 'text-faint',
  limited: 'text-warn',
  interrupted: 'text-bad',
  ended: 'text-faint',
  finished: 'text-accent',
} as const

export const StateDot = ({ state }: { state: LiveState }) => (
  <svg
    viewBox="0 0 10 10"
    width="10"
    height="10"
    aria-hidden="true"
    className={`shrink-0 ${colours[state]}`}
  >
    {shapes[state]}
  </svg>
)
