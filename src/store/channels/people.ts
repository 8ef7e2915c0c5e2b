/** Queries about the people on channels. Written under the lock of `home`. */
import type { ChannelName } from '../../domain/channels/key.ts'
import type { ChannelPerson } from '../../protocol/channels/channel.ts'
import { fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import type { Reader } from '../store.ts'

export type PersonRow = Tables['channel_people']

/** The last one to be paired first. */
export async function peoplePage(
  reader: Reader,
  channel: ChannelName,
  page: PageParams,
): Promise<ChannelPerson[]> {
  const rows = await reader.query<PersonRow>((db) =>
    pageOf(
      db.selectFrom('channel_people').selectAll().where('channel', '=', channel),
      page,
      'paired_at',
      'user_id',
    ),
  )
  return rows.map(personOf)
}

export const personOf = (row: PersonRow): ChannelPerson =>
  fields(row, 'channel', 'user_id', 'name', 'person_id', 'paired_at')
