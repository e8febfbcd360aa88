// What the pages ask the shop, or an instance.

// The answer, if it is no refusal. A refusal says why: the shop in `detail`, the endpoint of the locks in `message`.
export async function request(url, options, who = 'The shop') {
  const response = await fetch(url, options);
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.detail ?? problem.message ?? `${who} answered ${response.status}`);
  }
  return response;
}
