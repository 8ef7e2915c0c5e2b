/**
 * Notifications of the browser (AP5), for a person who looks at something else. Off until they are
 * switched on here; the browser must allow them too.
 */
import { withNumbers } from '../../../src/protocol/unseen-characters.ts'
import { browserChoice } from './choice.ts'

export const notificationChoice = browserChoice<'off' | 'on'>('outside', ['off', 'on'], 'off')

/** Browsers offer notifications only on https or localhost. */
export const notificationsAvailable = (): boolean => 'Notification' in globalThis && isSecureContext

export const notificationsAllowed = (): boolean =>
  notificationChoice.get() === 'on' &&
  notificationsAvailable() &&
  Notification.permission === 'granted'

/** False when the browser does not allow it. Asks the person only from a click of theirs. */
export async function setNotifications(on: boolean): Promise<boolean> {
  const allowed = !on || (await Notification.requestPermission()) === 'granted'
  notificationChoice.set(on && allowed ? 'on' : 'off')
  return allowed
}

interface BrowserNotification {
  readonly title: string
  readonly body: string
  /** Notifications with the same tag from several tabs are shown once. */
  readonly tag: string
}

/** Shows a notification, only while the page is hidden. */
export async function showNotification({
  title: named,
  body,
  tag,
}: BrowserNotification): Promise<void> {
  if (!document.hidden || !notificationsAllowed()) return
  const title = withNumbers(named)
  const options = { body: withNumbers(body), tag, icon: '/icon-192.png' }
  const worker = await navigator.serviceWorker?.getRegistration()
  // Phones know only those of the service worker, which also brings the page back when they are
  // clicked.
  if (worker?.active) return worker.showNotification(title, options)
  const notice = new Notification(title, options)
  notice.onclick = () => window.focus()
}
