/**
 * The settings of a project as the page and other clients need them: the keys, defaults and ranges
 * (NA10), without a validator.
 */
export {
  changeSettings,
  labelForm,
  managedSettings,
  type SettingKey,
  type SettingValue,
  settingRules,
} from '../../domain/projects/settings.ts'
