/** The places of the settings menu, the bottom bar and the palette. */

import {
  AgentIcon,
  ChannelIcon,
  NowIcon,
  PeopleIcon,
  SystemIcon,
  TalkIcon,
} from '../parts/icons.tsx'
import type { Messages } from '../translations/en.ts'

export const navItems = [
  { to: '/', name: 'now', Icon: NowIcon },
  { to: '/conversations', name: 'conversations', Icon: TalkIcon },
  { to: '/agents', name: 'agents', Icon: AgentIcon },
  { to: '/people', name: 'people', Icon: PeopleIcon },
  { to: '/channels', name: 'channels', Icon: ChannelIcon },
  { to: '/system', name: 'system', Icon: SystemIcon },
] as const satisfies readonly { to: string; name: keyof Messages['places']; Icon: unknown }[]
