/** Lists the tokens of scripts and coordinators that are valid now, newest first (HT1). Never their secrets. */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Token } from '../protocol/people.ts'
import { tokensPage } from '../store/queries/credentials.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { defineQuery } from '../store/store.ts'

export const listTokens = defineQuery({
  name: 'list-tokens',
  run: async (reader, input: PageQuery, { now }): Promise<Page<Token>> =>
    cutPage(await tokensPage(reader, pageParams(input), now), input.limit),
})
