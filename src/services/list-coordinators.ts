/** Coordinators, the one that joined last first, a page at a time. */
import type { Coordinator } from '../protocol/coordinator.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { coordinatorsPage } from '../store/queries/coordinators.ts'
import { cutPageBy, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listCoordinators = defineQuery({
  name: 'list-coordinators',
  run: async (reader, { limit, cursor }: PageQuery): Promise<Page<Coordinator>> =>
    cutPageBy(await coordinatorsPage(reader, pageParams({ limit, cursor })), limit, ({ joinedAt, id }) => ({
      createdAt: joinedAt,
      id,
    })),
})
