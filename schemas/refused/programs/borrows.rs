//! A reference into a node cannot outlive a change of the node, or of the handle that holds it.

use pleach_refused::pleach_runtime::{Append, Elements, Store, make_mut};
use pleach_refused::pleach_stores::bst::nodes::Bst;
use pleach_refused::pleach_stores::{List, blist_gaps, blist_prefix};

fn reserved() {
    let mut r = Bst::<String>::reserve((1, String::new()));
    let s = &Bst::e(r.node()).values()[0];
    *Bst::fields(r.edit()).e = String::new();
    println!("{s}");
}

fn made_mutable() {
    let mut link = Bst::<String>::reserve((1, String::new())).finish();
    let s = &Bst::e(make_mut(&mut link).into_node()).values()[0];
    *Bst::fields(make_mut(&mut link)).e = String::new();
    println!("{s}");
}

fn cloned_while_written() {
    let mut link = Bst::<String>::reserve((1, String::new())).finish();
    let fields = Bst::fields(make_mut(&mut link));
    let second = link.clone();
    *fields.e = String::new();
    println!("{:?}", second);
}

fn dropped() {
    let link = Bst::<String>::reserve((1, String::new())).finish();
    let s = &Bst::e(link.node()).values()[0];
    drop(link);
    println!("{s}");
}

fn child_of_what_changes() {
    let mut link = Bst::<String>::reserve((1, String::new())).finish();
    let child = Bst::l_link(link.node());
    *Bst::fields(make_mut(&mut link)).l = None;
    println!("{}", child.is_some());
}

fn slots() {
    let mut r = blist_gaps::nodes::Blist::<String>::reserve();
    let mut fields = blist_gaps::nodes::Blist::fields(r.edit());
    fields.e.put(0, 1, String::new());
    let s = fields.e.slots().value(0);
    fields.e.take(0);
    println!("{s:?}");
}

fn filled() {
    let mut r = blist_prefix::nodes::Blist::<String>::reserve();
    let mut fields = blist_prefix::nodes::Blist::fields(r.edit());
    fields.e.push(1, String::new());
    let s = fields.e.values_mut();
    fields.e.pop();
    println!("{s:?}");
}

fn last_of_a_chain() {
    let mut chain = List::<String>::append_first(1, String::new());
    let last = chain.last();
    let list = List::<String>::finish(chain);
    println!("{}", last.is_some());
    drop(list);
}

fn drained() {
    let mut values = vec![String::new()];
    let elements = Elements::drain(&[1_u32], &mut values);
    values.push(String::new());
    drop(elements);
}

fn fiber() {
    let mut row = pleach_refused::pleach_stores::Bst::<String>::default();
    let found = pleach_refused::pleach_runtime::Fiber::locate(row.fiber(), 1);
    row = Default::default();
    println!("{found:?}");
}

fn main() {}
