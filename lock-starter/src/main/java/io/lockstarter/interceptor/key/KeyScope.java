// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

/**
 * Scope of the keys of a method: what they may refer to.
 */
record KeyScope(AnnotatedMethod subject, ArgumentNames names, KeyBeans beans) {

}
