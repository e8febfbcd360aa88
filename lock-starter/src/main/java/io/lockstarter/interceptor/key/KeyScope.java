package io.lockstarter.interceptor.key;

/**
 * Scope of the keys of a method: what they may refer to.
 *
 * @param subject the method
 * @param names the names of its arguments
 * @param beans the beans of the application
 */
record KeyScope(AnnotatedMethod subject, ArgumentNames names, KeyBeans beans) {

}
