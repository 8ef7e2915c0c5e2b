/** Channels and the codes that let chats in. Written behind the lock of `home`, the moments of the last messages aside. */
import { sql } from 'kysely'
import type { ChannelName } from '../../domain/channel/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export type ChannelRow = Tables['channels']

export const newChannelRow = (channel: ChannelName, now: Instant): ChannelRow => ({
  channel,
  state: 'connecting',
  trouble: null,
  since: now,
  name: null,
  link: null,
  project_id: null,
  agent_id: null,
  holder: null,
  held_until: null,
  last_in_at: null,
  last_out_at: null,
})

export const selectChannel = statement<{ channel: ChannelName }>()((db, p) =>
  db.selectFrom('channels').selectAll().where('channel', '=', p.channel),
)

/** What changes of one that is there. */
const changing = (p: Omit<ChannelRow, 'last_in_at' | 'last_out_at'>) => ({
  state: p.state,
  trouble: p.trouble,
  since: p.since,
  name: p.name,
  link: p.link,
  project_id: p.project_id,
  agent_id: p.agent_id,
  holder: p.holder,
  held_until: p.held_until,
})

export const insertChannel = statement<ChannelRow>()((db, p) =>
  db.insertInto('channels').values({
    channel: p.channel,
    last_in_at: p.last_in_at,
    last_out_at: p.last_out_at,
    ...changing(p),
  }),
)

/** All but the moments of the last messages, which are noted without the lock. */
export const updateChannel = statement<Omit<ChannelRow, 'last_in_at' | 'last_out_at'>>()((db, p) =>
  db.updateTable('channels').set(changing(p)).where('channel', '=', p.channel),
)

export const updateLastIn = statement<{ channel: ChannelName; now: Instant }>()((db, p) =>
  db.updateTable('channels').set({ last_in_at: p.now }).where('channel', '=', p.channel),
)

export const updateLastOut = statement<{ channel: ChannelName; now: Instant }>()((db, p) =>
  db.updateTable('channels').set({ last_out_at: p.now }).where('channel', '=', p.channel),
)

/** What is counted of a channel, in one statement. */
export const selectChannelCounts = statement<{ channel: ChannelName; askedAfter: Instant }>()((db, p) =>
  db.selectNoFrom((eb) => [
    eb
      .selectFrom('channel_chats')
      .select(sql<number>`count(*)`.as('count'))
      .where('channel', '=', p.channel)
      .where('state', '=', 'paired')
      .as('paired'),
    eb
      .selectFrom('channel_chats')
      .select(sql<number>`count(*)`.as('count'))
      .where('channel', '=', p.channel)
      .where('state', '=', 'asking')
      .where('asked_at', '>', p.askedAfter)
      .as('asking'),
    eb.selectFrom('outgoing').select(sql<number>`count(*)`.as('count')).where('channel', '=', p.channel).as('waiting'),
  ]),
)

export const insertPairingCode = statement<Tables['pairing_codes']>()((db, p) =>
  db.insertInto('pairing_codes').values({
    channel: p.channel,
    hash: p.hash,
    created_by: p.created_by,
    created_at: p.created_at,
    expires_at: p.expires_at,
  }),
)

/** Oldest first. */
export const selectPairingCodes = statement<{ channel: ChannelName; limit: number }>()((db, p) =>
  db.selectFrom('pairing_codes').selectAll().where('channel', '=', p.channel).orderBy('created_at').limit(p.limit),
)

export const selectPairingCode = statement<{ channel: ChannelName; hash: string }>()((db, p) =>
  db.selectFrom('pairing_codes').selectAll().where('channel', '=', p.channel).where('hash', '=', p.hash),
)

export const deletePairingCode = statement<{ channel: ChannelName; hash: string }>()((db, p) =>
  db.deleteFrom('pairing_codes').where('channel', '=', p.channel).where('hash', '=', p.hash),
)

/** Who is served when nobody has chosen: the first agent of the oldest project that has one. */
export const selectFirstPair = statement()((db) =>
  db
    .selectFrom('assignments')
    .innerJoin('projects', 'projects.id', 'assignments.project_id')
    .select(['assignments.project_id', 'assignments.agent_id'])
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .orderBy('assignments.created_at')
    .orderBy('assignments.agent_id')
    .limit(1),
)
