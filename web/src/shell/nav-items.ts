/** The links of the rail and the bottom bar. */

import { AgentIcon, NowIcon, PeopleIcon, SystemIcon, TalkIcon } from '../parts/icons.tsx'
import type { Messages } from '../translations/en.ts'

export const navItems = [
  { to: '/', name: 'now', Icon: NowIcon },
  { to: '/conversations', name: 'conversations', Icon: TalkIcon },
  { to: '/agents', name: 'agents', Icon: AgentIcon },
  { to: '/people', name: 'people', Icon: PeopleIcon },
  { to: '/system', name: 'system', Icon: SystemIcon },
] as const satisfies readonly { to: string; name: keyof Messages['places']; Icon: unknown }[]
