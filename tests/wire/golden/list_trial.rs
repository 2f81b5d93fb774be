//! One list of UNet's, operation by operation: on the server, in a message, and on a client.

use syncvar::{
    NetId, SyncList,
    unet::{ListError, ListHash, ListOperation, SyncListMessage, UnetOperations},
    wire::{NetworkReader, NetworkWriter},
};

use super::Check;
use super::explain::why_change;
use super::frame::Frame;
use super::list_cell::Listed;
use super::recorded::Recorded;
use super::rule::Rule;
use syncvar_testing::golden::{Json, Node};

pub(crate) struct Trial<'a, T> {
    json: &'a Json,
    /// What the server and the client had after the last operation.
    server: Vec<T>,
    client: Vec<T>,
    /// The server's list as it was recorded.
    recorded: &'a [Json],
}

impl<'a, T: Listed> Trial<'a, T> {
    pub(crate) fn new(json: &'a Json) -> Self {
        Self {
            json,
            server: Vec::new(),
            client: Vec::new(),
            recorded: &[],
        }
    }

    pub(crate) fn step(&mut self, step: &'a Json, check: &mut Check) -> Result<(), Rule> {
        let after = T::list_from_json(step.at("list_after"))?;
        let client_after = T::list_from_json(step.at("client_list_after"))?;
        let unchanged = step.at("dirty_mask_unchanged").truth();
        check.equal("whether UNet's mask stays as it is", true, unchanged);
        if let Some(operation) = self.operation(step)? {
            self.find_what_was_not_recorded(&operation, step, &after);
            let mut list = SyncList::from(self.server.clone());
            list.clear_dirty();
            let done = operation.clone().apply(&mut list);
            let refused = matches!(done, Err(ListError::IndexOutOfRange { .. }));
            let throws = step.get("throws").is_some();
            check.equal("whether the operation is refused", throws, refused);
            check.equal("the server's list", after.show(), list.to_vec().show());
            self.compare_messages(&operation, step, check);
            self.compare_told(&operation, &list, step, check);
        } else {
            check.equal("messages", 0, step.at("messages").list().len());
        }
        let client = self.client.show();
        check.equal("the client's list", client_after.show(), client);
        (self.server, self.client) = (after, client_after);
        self.recorded = step.at("list_after").list();
        Ok(())
    }

    /// The operation that was called; `None` if none was.
    fn operation(&self, step: &Json) -> Result<Option<ListOperation<T>>, Rule> {
        let arguments = step.at("args").list();
        let index = || arguments[0].number::<usize>();
        let value = |position: usize| T::from_json(&arguments[position]);
        Ok(Some(match step.at("op").text() {
            "Add" => ListOperation::Add {
                index: self.server.len(),
                value: value(0)?,
            },
            "Clear" => ListOperation::Clear,
            "Insert" => ListOperation::Insert {
                index: index(),
                value: value(1)?,
            },
            "Remove" => ListOperation::Remove { value: value(0)? },
            "RemoveAt" => ListOperation::RemoveAt { index: index() },
            "set" => ListOperation::Set {
                index: index(),
                value: value(1)?,
            },
            "Dirty" => ListOperation::Dirty {
                index: index(),
                value: self.server.get(index()).cloned().unwrap_or_default(),
            },
            other => {
                assert!(other.starts_with("(before spawn)"), "no operation {other}");
                return Ok(None);
            }
        }))
    }

    /// One list was filled without being recorded: where an element was set that the last recorded
    /// list does not have, the others are those of the next one.
    fn find_what_was_not_recorded(
        &mut self,
        operation: &ListOperation<T>,
        step: &Json,
        after: &[T],
    ) {
        let ListOperation::Set { index, value } = operation else {
            return;
        };
        if *index < self.server.len() || step.get("throws").is_some() {
            return;
        }
        let others = after.iter().cloned().chain([T::default()]);
        let other = others.filter(|other| !other.same(value)).last();
        self.server = after.to_vec();
        if let (Some(item), Some(other)) = (self.server.get_mut(*index), other) {
            *item = other;
        }
        self.client.clone_from(&self.server);
    }

    /// The recorded messages are what ours writes for the operation, and bring the client's list
    /// along. UNet sends one if anything has changed, and for some operations always.
    fn compare_messages(&mut self, operation: &ListOperation<T>, step: &Json, check: &mut Check) {
        for recorded in step.at("messages").list() {
            let channel: u8 = recorded.at("channel").number();
            check.equal("channel", self.json.at("channel").number(), channel);
            let bytes = recorded.at("hex").hex();
            check.equal_bytes("message", &bytes, &self.message(operation));
            self.compare_parts(operation, recorded, check);
            let [frame] = &Frame::split(1, channel, &bytes)[..] else {
                check.fault("message", "one", "another number");
                continue;
            };
            compare_hostile::<T>(frame.payload(), check);
            let payload = &mut NetworkReader::new(frame.payload());
            let mut list = SyncList::from(std::mem::take(&mut self.client));
            match SyncListMessage::<T>::read(payload) {
                Ok(message) => {
                    check.equal_bytes("as read", &bytes, &self.message(&message.operation));
                    if let Err(error) = message.operation.apply(&mut list) {
                        check.fault("operation", "one that makes sense", error);
                    }
                }
                Err(error) => check.fault("message", "one that can be read", error),
            }
            self.client = list.into_inner();
        }
    }

    /// A message of ours, with its header.
    fn message(&self, operation: &ListOperation<T>) -> Vec<u8> {
        let mut writer = NetworkWriter::new();
        let start = writer.start_message(SyncListMessage::<T>::TYPE);
        let message = SyncListMessage {
            net_id: NetId(self.json.at("netId").number()),
            list_hash: ListHash(self.json.at("hash_u32").number()),
            operation: operation.clone(),
        };
        message.write(&mut writer);
        writer.finish_message(start);
        writer.as_bytes().to_vec()
    }

    /// The parts of a message, which the recorder has taken apart.
    fn compare_parts(&self, operation: &ListOperation<T>, recorded: &Json, check: &mut Check) {
        let message_type: i16 = recorded.at("type").number();
        check.equal("type", SyncListMessage::<T>::TYPE, message_type);
        let number = |json: &Json, key| json.at(key).number::<u32>();
        for (own, recorded_as) in [("netId", "netId"), ("hash_u32", "list_hash")] {
            let expected = number(self.json, own);
            check.equal(recorded_as, expected, number(recorded, recorded_as));
        }
        let code: u8 = recorded.at("op_code").number();
        check.equal("op_code", code, operation.number());
        let index: usize = recorded.at("index").number();
        check.equal("index", index, operation.index().unwrap_or_default());
        let mut item = NetworkWriter::new();
        item.write(&operation.value().cloned().unwrap_or_default());
        let recorded_item = recorded.at("item_hex").hex();
        check.equal_bytes("item", &recorded_item, item.as_bytes());
    }

    /// What our list tells of the change makes the former list what it is, and is the operation for
    /// which UNet has sent a message, or a rule says why not.
    fn compare_told(
        &self,
        operation: &ListOperation<T>,
        list: &SyncList<T>,
        step: &Json,
        check: &mut Check,
    ) {
        let told = list.unet_operations();
        let mut replica = SyncList::from(self.server.clone());
        for operation in told.clone() {
            if let Err(error) = operation.apply(&mut replica) {
                check.fault("what ours tells", "one that makes sense", error);
            }
        }
        let (list, replica) = (list.to_vec().show(), replica.to_vec().show());
        check.equal("after what ours tells", list, replica);
        let theirs = step.at("messages").list().iter();
        let theirs: Vec<_> = theirs.map(|message| message.at("hex").hex()).collect();
        let told: Vec<_> = told.iter().map(|told| self.message(told)).collect();
        if told != theirs {
            let expected = self
                .other_operation(operation)
                .map(|told| self.message(&told));
            let rule = self.why_other(operation, step, theirs.is_empty());
            let is_expected = told == Vec::from_iter(expected);
            check.differs(
                rule.filter(|_| is_expected),
                "what ours tells",
                theirs.iter().map(hex::encode).collect::<String>(),
                told.iter().map(hex::encode).collect::<String>(),
            );
        }
    }

    /// What our list tells in another way than UNet.
    fn other_operation(&self, operation: &ListOperation<T>) -> Option<ListOperation<T>> {
        let operation = operation.clone();
        let length = self.server.len();
        match operation {
            ListOperation::Insert { index, value } if index == length => {
                Some(ListOperation::Add { index, value })
            }
            ListOperation::Remove { value } => {
                let index = self.server.iter().position(|item| *item == value)?;
                Some(ListOperation::RemoveAt { index })
            }
            ListOperation::Set { index, ref value } => {
                let same = self.server.get(index)?.same(value);
                (!same).then_some(operation)
            }
            // There is no difference to tell of.
            _ => None,
        }
    }

    fn why_other(
        &self,
        operation: &ListOperation<T>,
        step: &Json,
        unet_sends_nothing: bool,
    ) -> Option<Rule> {
        match operation {
            ListOperation::Set { index, .. } => {
                let (old, new) = (self.recorded.get(*index)?, step.at("args").list().get(1)?);
                if unet_sends_nothing {
                    why_change(old, new)
                } else {
                    (old != new).then_some(Rule::NullIsEmpty)
                }
            }
            _ => Some(Rule::ListOperations),
        }
    }
}

/// Every truncation, a byte too many and every unknown operation are errors; and so is a position
/// in a list that does not have it.
fn compare_hostile<T: Listed>(payload: &[u8], check: &mut Check) {
    let read = |bytes: &[u8]| SyncListMessage::<T>::read(&mut NetworkReader::new(bytes));
    let truncated = (0..payload.len()).all(|length| read(&payload[..length]).is_err());
    check.equal("whether truncations are errors", true, truncated);
    let surplus = read(&[payload, &[0]].concat()).is_err();
    check.equal("whether a surplus byte is an error", true, surplus);
    let mut reader = NetworkReader::new(payload);
    let address = (reader.read_packed_u32(), reader.read_packed_u32());
    check.equal(
        "whether there is an address",
        true,
        address.0.is_ok() && address.1.is_ok(),
    );
    let place = reader.position();
    let unknown = (7..=u8::MAX).all(|number| {
        let mut bytes = payload.to_vec();
        bytes[place] = number;
        read(&bytes).is_err()
    });
    check.equal("whether unknown operations are errors", true, unknown);
    if let Ok(SyncListMessage { operation, .. }) = read(payload) {
        let makes_sense = match &operation {
            ListOperation::Add { .. } | ListOperation::Clear => true,
            ListOperation::Insert { index, .. } => *index == 0,
            _ => false,
        };
        let done = operation.apply(&mut SyncList::new());
        check.equal("whether an empty list takes it", makes_sense, done.is_ok());
    }
}
