/**
 * Where several elements say the same and each will do. Which one is meant is said in every other
 * place: their order is no answer.
 */
import type { Locator } from 'playwright-core'

export const anyOf = (locator: Locator): Locator => locator.filter({ visible: true }).first()
