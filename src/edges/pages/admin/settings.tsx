import { publicSettings } from '../../../platform/settings/settings.ts'
import type { PageRequest } from '../page.ts'
import { AdminFrame, type AdminPage } from './frame.tsx'

/** Every setting that is no secret, which a deployment changes. */
export const settingsPage: AdminPage = { show: showSettings }

async function showSettings(request: PageRequest) {
  return (
    <AdminFrame request={request} title="Settings">
      <p>
        A deployment sets them under <code>[vars]</code> in <code>wrangler.toml</code>.
      </p>
      <section class="wide" aria-label="Settings" tabindex={0}>
        <table class="settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {publicSettings(request.ctx.settings).map(({ name, value, meaning }) => (
              <tr>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{value}</td>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </AdminFrame>
  )
}
