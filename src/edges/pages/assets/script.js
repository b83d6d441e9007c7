/** Comfort for pages that work without it: keyboard, times in the reader's zone, menus that close. */

const EDITABLE = 'input, textarea, select, [contenteditable]'

for (const time of document.querySelectorAll('time[datetime]')) {
  const moment = new Date(time.dateTime)
  if (time.dateTime.includes('T') && !Number.isNaN(moment.getTime())) {
    const long = { dateStyle: 'full', timeStyle: 'long' }
    time.title = `${moment.toLocaleString(undefined, long)} (${time.textContent} UTC)`
    // the form that stood there, so that nothing moves
    time.textContent = moment.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' })
  }
}

document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!menu.contains(target)) {
      menu.open = false
    }
  }
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      menu.open = false
    }
  }
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
  if (event.key === '/' && isPlain && !event.target.closest(EDITABLE)) {
    event.preventDefault()
    document.querySelector('.banner input[type=search]')?.focus()
  }
})

/** A form is sent once until its answer is there, or could have been. */
const sent = new Map()
const MAX_WAIT_MS = 10_000

document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post' || event.defaultPrevented) {
    return
  }
  const now = performance.now()
  if (now < (sent.get(form) ?? 0)) {
    event.preventDefault()
  } else {
    sent.set(form, now + MAX_WAIT_MS)
  }
})
// back on a page that the browser has kept
addEventListener('pageshow', () => sent.clear())

// a text that was typed and not sent is not left by mistake
addEventListener('beforeunload', (event) => {
  const texts = [...document.querySelectorAll('form[method=post] textarea')]
  if (texts.some((one) => one.value !== one.defaultValue && !sent.has(one.form))) {
    event.preventDefault()
  }
})

for (const field of document.querySelectorAll('input[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    field.select()
    await navigator.clipboard.writeText(field.value)
    button.textContent = 'Copied'
  })
  field.after(button)
}

/** A list whose bugs are ticked: one box for all of them. */

const boxes = [...document.querySelectorAll('.bugs tbody input[name=id]')]
if (boxes.length > 1) {
  const all = document.createElement('input')
  all.type = 'checkbox'
  all.setAttribute('aria-label', 'All bugs of this page')
  all.addEventListener('change', () => {
    for (const box of boxes) {
      box.checked = all.checked
    }
  })
  const follow = () => {
    const count = boxes.filter(({ checked }) => checked).length
    all.checked = count === boxes.length
    all.indeterminate = count > 0 && !all.checked
  }
  document.querySelector('.bugs tbody').addEventListener('change', follow)
  // a browser fills boxes in again when it comes back
  addEventListener('pageshow', follow)
  document.querySelector('.bugs thead th').prepend(all)
}

/** A bug: keys for its comments, a preview in place, and people for what is typed. */

// an answer is typed below what it quotes
const reply = document.querySelector('form.change textarea[name=comment]')
if (reply !== null && new URL(location).searchParams.has('quote')) {
  reply.setSelectionRange(reply.value.length, reply.value.length)
}

const comments = [...document.querySelectorAll('article.comment')]
const keys = {
  j: () => goToComment(1),
  k: () => goToComment(-1),
  r: () => reply?.focus(),
  e: () => document.querySelector('form.change a.edit')?.click(),
  '?': () => {
    const list = document.querySelector('#keys')
    list.open = true
    list.scrollIntoView({ block: 'center' })
  },
}

/** Leads to the page that ends with the comment of the address, once. */
function findComment() {
  const [, wanted] = /^#c(\d+)$/.exec(location.hash) ?? []
  const address = new URL(location)
  const before = `${Number(wanted) + 1}`
  const isElsewhere = wanted !== undefined && !document.getElementById(`c${wanted}`)
  const isPaged = document.querySelector('#older') !== null || address.searchParams.has('before')
  if (isElsewhere && isPaged && address.searchParams.get('before') !== before) {
    address.searchParams.set('before', before)
    location.replace(address)
  }
}

findComment()
addEventListener('hashchange', findComment)

/** From the comment that has the focus, or else from the first one in sight. */
function goToComment(step) {
  const focused = comments.indexOf(document.activeElement?.closest('article.comment'))
  const inSight = comments.findIndex((one) => one.getBoundingClientRect().top >= 0)
  const from = inSight === -1 ? comments.length : inSight
  const next = comments[focused === -1 ? from - (step > 0 ? 0 : 1) : focused + step]
  next?.scrollIntoView()
  next?.querySelector('a.count')?.focus({ preventScroll: true })
}

if (document.querySelector('#keys') !== null) {
  document.addEventListener('keydown', (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey)
    if (isPlain && event.key in keys && !event.target.closest(EDITABLE)) {
      event.preventDefault()
      keys[event.key]()
    }
  })
}

document.querySelector('form.change')?.addEventListener('submit', async (event) => {
  const { submitter } = event
  if (!submitter?.formAction.endsWith('/preview')) {
    return
  }
  event.preventDefault()
  const preview = document.querySelector('#preview')
  const answer = await fetch(submitter.formAction, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(event.target)),
  }).catch(() => null)
  if (answer?.ok) {
    // rendered by the service, which lets no markup of the text through
    preview.innerHTML = (await answer.json()).html
  } else {
    preview.textContent = `There is no preview: ${await reasonOf(answer)}`
  }
})

async function reasonOf(answer) {
  if (answer === null) {
    return 'the service did not answer. Try again in a moment.'
  }
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const said = [...page.querySelectorAll('main h1, main h1 ~ p')].slice(0, 2)
  return said.map(({ textContent }) => textContent).join('. ')
}

for (const input of document.querySelectorAll('[data-suggest=people]')) {
  const list = document.createElement('datalist')
  list.id = `${input.name}-people`
  input.after(list)
  input.setAttribute('list', list.id)
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => suggest(input, list), 200)
  })
}

async function suggest(input, list) {
  const [, before, match] = /^(.*[\s,])?([^\s,]*)$/.exec(input.value) ?? []
  if (!match || match.length < 2) {
    return
  }
  const answer = await fetch(`/suggest/people?${new URLSearchParams({ match })}`)
  const { people } = answer.ok ? await answer.json() : { people: [] }
  list.replaceChildren(
    ...people.map(({ name, real_name: label }) => {
      const option = document.createElement('option')
      option.value = (before ?? '') + name
      option.label = label
      return option
    }),
  )
}

const summary = document.querySelector('input[data-duplicates]')
const found = document.querySelector('#possible-duplicates')
let waiting
summary?.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(async () => {
    const asked = new URLSearchParams({
      summary: summary.value,
      product: summary.dataset.duplicates,
    })
    const answer = await fetch(`/suggest/duplicates?${asked}`)
    if (answer.ok && asked.get('summary') === summary.value) {
      found.innerHTML = await answer.text()
    }
  }, 400)
})
