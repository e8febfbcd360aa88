// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

/**
 * A change of a script.
 *
 * @param from the first token that is replaced
 * @param to the token after the last one
 * @param replacement what stands there instead
 */
public record LuaEdit(int from, int to, String replacement) {

}
