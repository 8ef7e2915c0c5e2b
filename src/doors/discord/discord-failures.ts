/** Describes failures of Discord for the owner, without tokens (SE7). */
import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest'
import { ChannelFailure, codeOf, isNeverReached } from '../../adapters/port.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { mask, masked } from '../../platform/log/mask.ts'

const platform = 'Discord'
const setting = 'discord.token'

export function failureOf(error: unknown, token: string): ChannelFailure {
  if (error instanceof ChannelFailure) return error
  const clean = (text: string): string => mask(text.replaceAll(token, masked))
  if (error instanceof RateLimitError) {
    const afterMs = Math.max(error.timeToReset, error.retryAfter)
    return new ChannelFailure('busy', statusNotice('platformBusy', { platform }), afterMs)
  }
  if (error instanceof DiscordAPIError) return refusedBy(error.status, clean(error.message))
  // 5xx: it may have been done all the same.
  if (error instanceof HTTPError) {
    const why = `HTTP ${error.status}`
    return new ChannelFailure('unknown', statusNotice('platformTrouble', { platform, why }))
  }
  const code = codeOf(error)
  if (isNeverReached(code)) return unreachable(code)
  const why = code || clean(error instanceof Error ? error.message : String(error))
  return new ChannelFailure('unknown', statusNotice('platformSilent', { platform, why }))
}

export const unreachable = (code: string): ChannelFailure =>
  new ChannelFailure(
    'unreachable',
    statusNotice('platformUnreachable', { platform, code, setting: 'discord.api_root' }),
  )

function refusedBy(status: number, why: string): ChannelFailure {
  switch (status) {
    case 401:
      return new ChannelFailure(
        'refused',
        statusNotice('platformToken', { platform, why, setting }),
      )
    case 403:
    case 404:
      return new ChannelFailure('gone', statusNotice('platformClosed', { platform, why }))
    case 429:
      return new ChannelFailure('busy', statusNotice('platformBusy', { platform }))
    default:
      return status < 500
        ? new ChannelFailure('faulty', statusNotice('platformRefused', { platform, why }))
        : new ChannelFailure('unknown', statusNotice('platformTrouble', { platform, why }))
  }
}

/** Why the gateway closed for good; undefined for what passes. */
export function closedFor(code: number): ChannelFailure | undefined {
  if (code === 4004)
    return new ChannelFailure(
      'refused',
      statusNotice('platformToken', { platform, why: '4004', setting }),
    )
  if (code === 4013 || code === 4014) {
    const why = `${code}: Message Content Intent`
    return new ChannelFailure('refused', statusNotice('platformMissesRight', { platform, why }))
  }
  return undefined
}
