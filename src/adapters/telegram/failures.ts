/**
 * Describes Telegram failures for the owner. The bot's token is part of every URL, so only Telegram's own description is passed
 * on, without the token (SE7).
 */
import { GrammyError, HttpError } from 'grammy/web'
import { statusNotice } from '../../domain/status-texts.ts'
import { mask, masked } from '../../platform/log/mask.ts'
import { ChannelFailure } from '../port.ts'

/** Error codes after which nothing was sent. */
const neverReached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'CERT_HAS_EXPIRED',
])

export function failureOf(error: unknown, token: string): ChannelFailure {
  const clean = (text: string): string => mask(text.replaceAll(token, masked))
  if (error instanceof GrammyError) return refusedBy(error, clean(error.description))
  const code = codeOf(error)
  if (error instanceof HttpError && neverReached.has(code))
    return new ChannelFailure('unreachable', statusNotice('telegramUnreachable', { code }))
  const why = code || clean(error instanceof HttpError ? error.message : String(error))
  return new ChannelFailure('unknown', statusNotice('telegramSilent', { why }))
}

function refusedBy({ error_code, parameters }: GrammyError, said: string): ChannelFailure {
  const retryAfterMs = parameters.retry_after === undefined ? undefined : parameters.retry_after * 1000
  const why = { why: said }
  switch (error_code) {
    case 401:
    case 404:
      return new ChannelFailure('refused', statusNotice('telegramToken'))
    case 409:
      return new ChannelFailure('elsewhere', statusNotice('telegramElsewhere', why))
    case 429:
      return new ChannelFailure('busy', statusNotice('telegramBusy'), retryAfterMs)
    case 403:
      return new ChannelFailure('gone', statusNotice('telegramClosed', why))
    case 400: {
      const isGone = /chat not found|user is deactivated|group chat was upgraded/i.test(said)
      return new ChannelFailure(isGone ? 'gone' : 'faulty', statusNotice('telegramRefused', why))
    }
    default:
      return new ChannelFailure('unreachable', statusNotice('telegramTrouble', { code: error_code, ...why }), retryAfterMs)
  }
}

function codeOf(error: unknown): string {
  for (let cause: unknown = error, depth = 0; cause && depth < 5; depth++) {
    const { code, error: inner, cause: under } = cause as { code?: unknown; error?: unknown; cause?: unknown }
    if (typeof code === 'string') return code
    cause = inner ?? under
  }
  return ''
}
