/** The words of what a person prefers, and of signing in on a phone, in Japanese. */
import type * as english from './en-preferences.ts'

export const preferences: typeof english.preferences = {
  devices: {
    title: 'サインイン中のブラウザー',
    about: 'あなたがサインインしているブラウザーです。トークンは含まれません。',
    none: 'ブラウザーはありません。トークンで利用しています。',
    thisOne: 'このブラウザー',
    used: '最終利用',
    signOut: 'サインアウト',
    signOutName: (name) => `${name} をサインアウト`,
    signOutTitle: (name) => `${name} をサインアウトしますか？`,
    signOutText: '開いているものはすぐに終了します。',
    signedOut: (name) => `${name} をサインアウトしました`,
  },
  theme: 'テーマ',
  themes: { system: 'システムに合わせる', light: 'ライト', dark: 'ダーク' },
  language: '言語',
  languages: { system: 'ブラウザーに合わせる', en: 'English', ja: '日本語' },
  open: 'アカウントと表示設定',
  settings: '設定',
  enterSends: 'Enter キーで送信する',
  outside: 'このブラウザーで通知する',
  outsideForbidden:
    'このアドレスからの通知はブラウザーで許可されていません。ブラウザーの設定で変更できます。',
  signOut: 'サインアウト',
}

export const phone: typeof english.phone = {
  open: 'スマートフォンでサインイン',
  scan: 'スマートフォンのカメラで読み取ってください。一度だけ、あなたとしてサインインします。',
  code: 'スマートフォンのカメラ用コード',
  expires: '有効期限',
  orLink: 'リンクをコピーして自分に送ることもできます。',
  again: '新しく作る',
  unreachable: 'このアドレスはこのコンピューター専用なので、スマートフォンからは開けません。',
  unreachableNext:
    'Holdfast をプロキシの後ろに置き、そのアドレスを public_url に設定して起動し直してください。',
}

export const shortcuts: typeof english.shortcuts = {
  title: 'キーボードショートカット',
  these: 'この一覧',
  palette: '検索・操作',
  newSession: '新しいセッションを始める',
  composer: '入力欄へ移動',
  send: '送信',
  line: '改行',
  commands: 'エージェントのコマンド（メッセージの先頭で）',
  files: '作業フォルダーのファイル',
  stop: '実行中の処理を停止（セッションで）',
  rows: '「いま」で: 移動して開く',
  digits: '「いま」で: 数字の付いたボタンを押す',
  undo: '「いま」で: 直前の判断を元に戻す',
  reviewFiles: 'レビューで: ファイルを絞り込む',
  viewed: 'レビューで: ファイルを確認済みにして次へ移動',
}

export const signIn: typeof english.signIn = {
  title: 'サインイン',
  working: 'サインインしています…',
  lead: 'サーバーの起動時に表示されたサインイン用リンクを開いてください。',
  used: 'このリンクはもう使えません',
  usedWhy: 'サインイン用リンクは 10 分間、1 回だけ使えます。',
  signedOut: 'サインアウトしました',
  noCookie:
    'このブラウザーがサインインを保存しませんでした。このアドレスの Cookie を許可してから、もう一度サインインしてください。',
  ended:
    'サインインが無効になりました。別の画面でサインアウトしたか、アクセスが取り消されたか、期限が切れています。',
  getNew: '新しいリンクは、Holdfast が動いているマシンで次を実行すると表示されます。',
  inClone: 'リポジトリのクローンでは：',
  paste: 'または、リンク・コード・トークンを貼り付け',
  pasteEmpty: 'リンク、コード、トークンのいずれかを貼り付けてください',
  button: 'サインイン',
}
